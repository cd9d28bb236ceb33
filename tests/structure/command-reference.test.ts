/** The pages on the command line are those that the commands make. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProgram } from '../../cli/src/program.ts';
import { createProcessIo } from '../../cli/src/terminal/io.ts';
import { CLI_VERSION } from '../../cli/src/terminal/version.ts';
import { findProgram, need, programFound } from '../support/found-tool.ts';
import { factsOf, withThoseBelow } from './command-facts.ts';
import { commandPages } from './command-pages.ts';
import { manualPages } from './manual-pages.ts';
import { unknownIn } from './unknown-words.ts';

const ROOT = join(import.meta.dirname, '../..');
const MANUALS = 'cli/man/man1';

// The options of `server` are there only where it is called.
const { command } = await createProgram(['server'], createProcessIo());
const facts = factsOf(command);
const pages = commandPages(facts);
const manuals = manualPages(facts, CLI_VERSION);

test.each(pages)(
  'docs/reference/commands/$name is what the commands say',
  async ({ name, text }) => {
    await expect(text).toMatchFileSnapshot(join(ROOT, 'docs/reference/commands', name));
  },
);

test.each(manuals)('the manual page $name is what the commands say', async ({ name, text }) => {
  await expect(text).toMatchFileSnapshot(join(ROOT, MANUALS, name));
});

test.each([
  ['docs/reference/commands', pages],
  [MANUALS, manuals],
])('%s has no other pages', (folder, made) => {
  const names = made.map(({ name }) => name).toSorted();
  expect(readdirSync(join(ROOT, folder)).toSorted()).toEqual(names);
});

test('the package has each manual page', () => {
  const { man } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(man).toEqual(manuals.map(({ name }) => `program/${MANUALS}/${name}`).toSorted());
});

test('every command shows how it is called', () => {
  const last = withThoseBelow(facts).filter(({ commands }) => commands.length === 0);
  expect(last.filter(({ more }) => !more.includes('Example')).map(({ path }) => path)).toEqual([]);
});

test('the examples of commands are such as the commands take', () => {
  const lines = withThoseBelow(facts).flatMap(({ more }) => [
    ...more.matchAll(/^ *(?:\$ )?tutti (.*?)(?= *(?:[|>]|&&| # |$))/gm),
  ]);
  expect(lines.length).toBeGreaterThan(50);
  const unknown = lines.flatMap(([line, words = '']) => {
    const problems = unknownIn(command, words.split(/\s+/));
    return problems.length === 0 ? [] : [`${line}: ${problems.join(' ')}`];
  });
  expect(unknown).toEqual([]);
});

test('manual pages are such that nothing in them is unknown to their reader', (context) => {
  const groff = need(programFound('groff', findProgram('groff')), 'groff', context);
  for (const { name, text } of manuals) {
    const { stderr, status } = spawnSync(groff, ['-man', '-ww', '-z', '-Tutf8'], {
      input: text,
      encoding: 'utf8',
    });
    expect([name, stderr, status]).toEqual([name, '', 0]);
  }
});
