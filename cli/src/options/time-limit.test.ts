import { expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

test.each([
  [['workflows'], '--watch'],
  [['agents'], '--watch'],
  [['channels'], '--watch'],
  [['subscriptions'], '--watch'],
  [['jobs'], '--watch'],
  [['logs'], '-f'],
  [['workflows', 'events'], '-f'],
  [['status', '0198', '--log'], '--follow'],
])('%j takes no time limit where it does not go on', async (args, flag) => {
  const server = ['--server', 'http://127.0.0.1:1'];
  expect(await runCommand([...args, ...server, '--timeout', '5m'])).toEqual({
    code: 2,
    stdout: '',
    stderr: `tutti: --timeout goes with ${flag}.\nWhat to do: add ${flag}, or leave it out.\n`,
  });
});
