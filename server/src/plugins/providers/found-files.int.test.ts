import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ChannelOs } from '@tutti/manifests';
import { scriptStep } from '@tutti/sdk';
import { describe, expect, test } from 'vitest';
import { findUnix, type PatternMeaning, readPatterns } from './found-files.ts';
import { inTemporaryDirectory, runSteps } from './provider-scripts.fixture.ts';

const PLAIN: PatternMeaning = { foldersCount: false, hiddenCount: false };
const FOLDERS: PatternMeaning = { foldersCount: true, hiddenCount: false };
const ALL: PatternMeaning = { foldersCount: true, hiddenCount: true };

const FILES = [
  'a.xml',
  'b.txt',
  '.hidden.xml',
  '-rf.xml',
  "it's [1] (x) ä.xml",
  '$(touch pwned).xml',
  'line\nbreak.xml',
  'sub/c.xml',
  'sub/deep/d.xml',
  'sub/.git/e.xml',
  'sub dir/f.xml',
];

async function found(given: unknown, meaning = PLAIN): Promise<readonly string[]> {
  let lines: readonly string[] = [];
  await inTemporaryDirectory(async (cwd) => {
    const work = join(cwd, 'work');
    for (const file of FILES) {
      mkdirSync(dirname(join(work, file)), { recursive: true });
      writeFileSync(join(work, file), file);
    }
    writeFileSync(join(cwd, 'outside.xml'), '');
    symlinkSync('sub', join(work, 'link'));
    symlinkSync('a.xml', join(work, 'also.xml'));
    const texts = Array.isArray(given) ? given : String(given);
    const patterns = readPatterns('linux', 'path', texts, meaning);
    const print = `printf '%s\\n' "\${tutti_files[@]}"`;
    const run = await runSteps([scriptStep('linux', [...findUnix(patterns), print])], work);
    expect(run.exitCode, run.output).toBe(0);
    lines = run.output
      .trim()
      .split('\n')
      .filter((line) => line !== '');
  });
  return lines;
}

describe('files that patterns find', () => {
  test.each<[what: string, given: unknown, expected: readonly string[]]>([
    ['a path', 'a.xml', ['./a.xml']],
    ['a path with all kinds of signs', "it's [1] (x) ä.xml", ["./it's [1] (x) ä.xml"]],
    ['a path like an option', '-rf.xml', ['./-rf.xml']],
    ['a path like a command', '$(touch pwned).xml', ['./$(touch pwned).xml']],
    ['a path through a link', 'link/c.xml', ['./link/c.xml']],
    ['a path outside', '../outside.xml', ['./../outside.xml']],
    ['names in a folder', 'sub/*.xml', ['./sub/c.xml']],
    ['names in a folder behind a link', 'link/*.xml', ['./link/c.xml']],
    ['names in a folder with a blank', './sub dir//*', ['./sub dir/f.xml']],
    ['a single character', '?.xml', ['./a.xml']],
    ['a folder of any name', '*/c.xml', ['./sub/c.xml']],
    ['any folders', 'sub/**/*.xml', ['./sub/c.xml', './sub/deep/d.xml']],
    ['nothing', 'none/*.xml', []],
    ['nothing in folders', 'sub', []],
    ['hidden names, said so', '.*.xml', ['./.hidden.xml']],
    ['several lines', 'b.txt\n\n  a.xml', ['./a.xml', './b.txt']],
    ['a list', ['sub/**', 'sub/deep/*', 'b.txt'], ['./b.txt', './sub/c.xml', './sub/deep/d.xml']],
    ['what is not left out', ['sub/**', '!sub/deep'], ['./sub/c.xml']],
  ])('%s', async (_what, given, expected) => {
    expect(await found(given)).toEqual(expected);
  });

  test('are links to files, too, and no names with line breaks', async () => {
    expect(await found('*.xml')).toEqual([
      '::warning::A file whose name has a line break was left out.',
      './$(touch pwned).xml',
      './-rf.xml',
      './a.xml',
      './also.xml',
      "./it's [1] (x) ä.xml",
    ]);
  });

  test('is all of a folder, where folders count', async () => {
    expect(await found('sub/', FOLDERS)).toEqual(['./sub/c.xml', './sub/deep/d.xml']);
    expect(await found('sub', ALL)).toEqual([
      './sub/.git/e.xml',
      './sub/c.xml',
      './sub/deep/d.xml',
    ]);
  });
});

describe('patterns', () => {
  test.each<[what: string, os: ChannelOs, given: unknown, message: string]>([
    ['without any text', 'linux', ' \n', 'there is no pattern of what is wanted'],
    ['that only leave out', 'linux', '!a', 'there is no pattern of what is wanted'],
    ['that are no texts', 'linux', [{ a: 1 }], 'a list of patterns has texts'],
    ['that go back after a wildcard', 'linux', '*/../a', 'has ".." after a wildcard'],
    ['with what no path has on Windows', 'windows', 'a|b', 'is no path'],
    ['of which there are too many', 'linux', Array(65).fill('a'), 'more than 64 patterns'],
  ])('%s are refused', (_what, os, given, message) => {
    expect(() => readPatterns(os, 'path', given, PLAIN)).toThrow(message);
  });

  test('have one root, one walk and one depth', () => {
    expect(readPatterns('linux', 'path', ['a/b/*.x', 'a/c/d.x'], PLAIN)).toEqual({
      bases: ['./a/b', './a/c/d.x'],
      root: './a',
      wanted: '^(\\./a/b/([^/.][^/]*)?\\.x|\\./a/c/d\\.x)$',
      unwanted: '^$',
      depth: 1,
    });
    expect(readPatterns('linux', 'path', '/*', PLAIN)).toMatchObject({ bases: ['/'], root: '' });
  });

  test('on Windows may have both separators', () => {
    expect(readPatterns('windows', 'path', 'c:\\x\\*.log', PLAIN)).toMatchObject({
      bases: ['c:/x'],
      root: 'c:/x',
      depth: 1,
    });
  });
});
