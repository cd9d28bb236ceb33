import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'tutti-agent-command-'));
const empty = join(folder, 'empty.token');
writeFileSync(empty, '\n');

afterAll(() => rmSync(folder, { recursive: true }));

const NOBODY = 'http://127.0.0.1:1';
const CORRECT = 'correct what is named above, then try again.';
const NAME_A_FILE = 'name a file that holds a token and nothing else.';

test.each([
  [
    ['--token-file', join(folder, 'none')],
    `There is no file ${join(folder, 'none')}.`,
    NAME_A_FILE,
  ],
  [['--token-file', empty], `There is no token in ${empty}.`, NAME_A_FILE],
  [['--name', ''], '--name has an empty value.', 'give it a value, or leave it out.'],
  [
    ['--workspace-dir', ''],
    '--workspace-dir has an empty value.',
    'give it a value, or leave it out.',
  ],
  [
    ['--namespaces', 'A'],
    'Not the name of a namespace: "A". Names have small letters, digits and -.',
    CORRECT,
  ],
  [
    ['--namespaces', 'a', '--namespaces', '*'],
    '* stands for all namespaces, and for itself alone.',
    CORRECT,
  ],
])('an agent with %j is refused at once', async (args, what, next) => {
  const given = ['agent', '--server', NOBODY, '--token', 't', ...args];
  const argv =
    args[0] === '--token-file' ? given.filter((arg) => !['--token', 't'].includes(arg)) : given;
  expect(await runCommand(argv)).toEqual({
    code: 2,
    stdout: '',
    stderr: `tutti: ${what}\nWhat to do: ${next}\n`,
  });
});
