import { expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

test.each([
  [
    ['plan', '-', '--format', 'json', '--format', 'tree'],
    '--format has one value, and is given twice: with "json" and with "tree".',
  ],
  [
    ['token', 'create', '--subject', 'a', '--subject', 'b'],
    '--subject has one value, and is given twice: with "a" and with "b".',
  ],
  [
    ['server', '--port', '1', '--port', '2'],
    '--port has one value, and is given twice: with "1" and with "2".',
  ],
  [
    ['server', '--auth-insecure-health', '--auth-insecure-health', 'false'],
    '--auth-insecure-health has one value, and is given twice: with no value and with "false".',
  ],
])('%j is refused', async (args, message) => {
  expect(await runCommand(args)).toEqual({
    code: 2,
    stdout: '',
    stderr: `tutti: ${message}\nWhat to do: leave one of them out.\n`,
  });
});

test('an option may be given twice with the same value, and lists and pairs are joined', async () => {
  const input =
    'metadata: {name: x}\nvariables: {A: "1"}\njobs: {a: {runs-on: linux, steps: [{run: x}]}}\n';
  const args = ['plan', '-', '--format', 'json', '--format', 'json', '-e', 'A=1', '-e', 'B=2'];
  expect((await runCommand(args, { input })).code).toBe(0);
});

test.each([
  ['run', 'x.yaml', '--namespace', ''],
  ['token', 'create', '--data-dir', ''],
  ['status', '--server='],
  ['status', '--token-file', ''],
])('an empty value is refused: %s %s %s', async (...args) => {
  const option = args.find((arg) => arg.startsWith('--'))?.replace('=', '');
  expect(await runCommand(args.filter((arg) => arg !== undefined))).toEqual({
    code: 2,
    stdout: '',
    stderr: `tutti: ${option} has an empty value.\nWhat to do: give it a value, or leave it out.\n`,
  });
});
