/** `tutti run` refuses wrong use before any request: no server runs here. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'tutti-run-'));
const path = (name: string) => join(folder, name);

afterAll(() => rmSync(folder, { recursive: true }));

/** A workflow with this as its resources, and the arguments that run it. */
function running(resources: string, ...args: readonly string[]) {
  const file = path('workflow.yaml');
  writeFileSync(file, `metadata: {name: x}\n${resources}\njobs: {a: {steps: [{run: x}]}}\n`);
  return runCommand(['run', file, ...args]);
}

const ASKING = 'resources: {files: [data.csv, {name: rules.json, url: "https://example.org/r"}]}';
const ADVICE =
  'What to do: take a name that it asks for, or add this one to the resources.files of the workflow, ' +
  'also if only a workflow that it calls needs it.\n';

test.each([
  [
    ASKING,
    'dta.csv',
    'The workflow asks for no file "dta.csv", did you mean "data.csv"? It asks for "data.csv", "rules.json".',
  ],
  [ASKING, 'other', 'The workflow asks for no file "other". It asks for "data.csv", "rules.json".'],
  ['', 'other', 'The workflow asks for no file "other". It asks for no files at all.'],
  [
    `resources: {files: [${Array.from({ length: 23 }, (_, index) => `part-${index}-of-all`).join()}]}`,
    'x',
    `The workflow asks for no file "x". It asks for ${Array.from({ length: 20 }, (_, index) => `"part-${index}-of-all"`).join(', ')} and 3 more.`,
  ],
])('for a workflow with "%s", the file %s is refused', async (resources, name, message) => {
  expect(await running(resources, '-f', `${name}=${path('workflow.yaml')}`)).toEqual({
    code: 2,
    stdout: '',
    stderr: `tutti: ${message}\n${ADVICE}`,
  });
});

test.each([
  ['a name that it asks for', ASKING, 'data.csv'],
  ['a name that it would fetch', ASKING, 'rules.json'],
  ['any name for what the server will refuse', 'resources: {files: [1]}', 'other'],
  ['any name for what is no YAML', 'resources: [', 'other'],
])('a file has %s', async (_, resources, name) => {
  const { stderr } = await running(resources, '-f', `${name}=${path('none')}`);
  expect(stderr).toContain(`tutti: Cannot read the file "${name}"`);
});

test.each([
  ['a=b.txt', 'data=1.txt'],
  ['a=b.txt=c', 'data.txt'],
  ['a', 'b=data.txt'],
  ['=', 'data.txt'],
])('a file that may be called "%s" is read from %s', async (name, file) => {
  const files = 'resources: {files: [a, "a=b.txt", "a=b.txt=c", "="]}';
  const { stderr } = await running(files, '-f', `${name}=${path(file)}`);
  expect(stderr).toContain(`tutti: Cannot read the file "${name}" from ${path(file)}`);
});

test('two files of one name are refused, and one that is given twice is one', async () => {
  const args = ['-f', `a=${path('none')}`, '-f', `a=${path('.')}`];
  expect(await running('resources: {files: [a]}', ...args)).toEqual({
    code: 2,
    stdout: '',
    stderr:
      `tutti: -f gives the file "a" twice: from ${path('none')} and from ${path('.')}.\n` +
      'What to do: leave one of them out.\n',
  });
  const { stderr } = await running(
    'resources: {files: [a]}',
    ...args.slice(0, 2),
    ...args.slice(0, 2),
  );
  expect(stderr).toContain('tutti: Cannot read the file "a"');
});

test.each([
  ['-e', 'run'],
  ['-i', 'run'],
  ['-e', 'plan'],
  ['-i', 'plan'],
])('%s of %s gives a name one value, and shows none of two', async (option, command) => {
  const args = [command, path('workflow.yaml'), option, 'A=1', option, 'B=1', option, 'A=2'];
  expect(await runCommand(args)).toEqual({
    code: 2,
    stdout: '',
    stderr: `tutti: ${option} gives "A" twice, with two values.\nWhat to do: leave one of them out.\n`,
  });
});

test('a file without a path is refused', async () => {
  const { code, stderr } = await running('resources: {files: [data]}', '-f', 'data=');
  expect([code, stderr]).toEqual([
    2,
    'tutti: -f names no path for the file "data".\nWhat to do: write the path behind the =, or leave -f out.\n',
  ]);
});

test('an unreadable file is reported with the reason, like every other file', async () => {
  const files = 'resources: {files: [a]}';
  const shownBy = async (name: string) => (await running(files, '-f', `a=${path(name)}`)).stderr;
  const cannot = (name: string) => `tutti: Cannot read the file "a" from ${path(name)}`;
  expect(await shownBy('none')).toContain(`${cannot('none')}: there is no such file.\n`);
  expect(await shownBy('.')).toContain(`${cannot('.')}: it is a directory.\n`);
  execFileSync('mkfifo', [path('pipe')]);
  expect(await shownBy('pipe')).toContain(`${cannot('pipe')}: it is no file but a pipe`);
});

test.each([
  ['-e', 'run', 'A=one\nB=injected'],
  ['-i', 'run', 'A=one\r\n'],
  ['-e', 'plan', 'A=one\rB=injected'],
  ['-i', 'plan', 'A=\nB'],
])('%s of %s takes no value with a line end, as in %j', async (option, command, text) => {
  const { code, stderr } = await runCommand([command, path('workflow.yaml'), option, text]);
  expect(stderr).toContain(
    `tutti: ${option} takes one line, and what is given for "A" has several`,
  );
  expect(stderr).toContain('What to do: write texts of several lines into the workflow, or send');
  expect(code).toBe(2);
});
