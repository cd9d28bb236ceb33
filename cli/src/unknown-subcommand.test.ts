import { expect, test } from 'vitest';
import { runCommand } from './testing/run-command.ts';

const WORKFLOWS = 'list, show, events, manifest, cancel, rerun, delete, watch';

test.each([
  [
    ['workflows', 'evnets', '0198', '--kind', 'Workflow'],
    `"tutti workflows" has no command "evnets", did you mean "events"? It has: ${WORKFLOWS}.`,
    'see "tutti workflows --help".',
  ],
  [
    ['workflow', 'nonsense'],
    `"tutti workflows" has no command "nonsense". It has: ${WORKFLOWS}.`,
    'see "tutti workflows --help".',
  ],
  [
    ['workflows', '0198'],
    `"tutti workflows" has no command "0198". It has: ${WORKFLOWS}.`,
    'to see the one that is meant, write "tutti workflows show 0198"; or see "tutti workflows --help".',
  ],
  [
    ['agents', '0198'],
    '"tutti agents" has no command "0198". It has: list, describe, drain, undrain, delete.',
    'to see the one that is meant, write "tutti agents describe 0198"; or see "tutti agents --help".',
  ],
  [
    ['subscriptions', '0198', '-o', 'json'],
    '"tutti subscriptions" has no command "0198". It has: list, create, listen, delete.',
    'see "tutti subscriptions --help".',
  ],
  [
    ['tokens', 'creat', '--subject', 'x'],
    '"tutti tokens" has no command "creat", did you mean "create"? It has: create, show, check, rotate.',
    'see "tutti tokens --help".',
  ],
])('%j is told apart from what there is', async (args, what, next) => {
  expect(await runCommand(args)).toEqual({
    code: 2,
    stdout: '',
    stderr: `tutti: ${what}\nWhat to do: ${next}\n`,
  });
});

test('what a command of a group takes too much of is told as before', async () => {
  const { code, stderr } = await runCommand(['workflows', 'list', 'nonsense']);
  expect([code, stderr.split('\n')[0]]).toEqual([
    2,
    "tutti: Too many arguments for 'list'. Expected 0 arguments but got 1: nonsense.",
  ]);
});

test('options alone are for the list', async () => {
  const { stderr } = await runCommand(['workflows', '--nope', 'x']);
  expect(stderr).toContain("Unknown option '--nope'");
});
