import { expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

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
    ['help', 'workflow', 'evnets'],
    `"tutti workflows" has no command "evnets", did you mean "events"? It has: ${WORKFLOWS}.`,
    'see "tutti workflows --help".',
  ],
  [
    ['agents', 'help', 'nonsense'],
    '"tutti agents" has no command "nonsense". It has: list, describe, drain, undrain, delete.',
    'see "tutti agents --help".',
  ],
  [
    ['tokens', 'creat', '--subject', 'x'],
    '"tutti tokens" has no command "creat", did you mean "create"? It has: create, show, check, revoke, revoked, rotate.',
    'see "tutti tokens --help".',
  ],
])('%j is distinct from existing commands', async (args, what, next) => {
  expect(await runCommand(args)).toEqual({
    code: 2,
    stdout: '',
    stderr: `tutti: ${what}\nWhat to do: ${next}\n`,
  });
});

test('excess arguments of a subcommand are reported as before', async () => {
  const { code, stderr } = await runCommand(['workflows', 'list', 'nonsense']);
  expect([code, stderr.split('\n')[0]]).toEqual([
    2,
    "tutti: Too many arguments for 'list'. Expected 0 arguments but got 1: nonsense.",
  ]);
});

test.each([[['help', 'nosuch']], [['--debug', 'help', 'nosuch']]])(
  'help of a word that is no command is refused as the word is: %j',
  async (args) => {
    const { code, stdout, stderr } = await runCommand(args);
    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      'tutti: Unknown command \'nosuch\'\nWhat to do: see "tutti --help".\n',
    ]);
  },
);

test.each([
  [['help'], 'Usage: tutti '],
  [['help', 'help'], 'Usage: tutti [options]'],
  [['help', 'run'], 'Usage: tutti run '],
  [['help', 'run', 'x'], 'Usage: tutti run '],
  [['help', 'workflow', 'events'], 'Usage: tutti workflows'],
  [['workflows', 'help', 'events'], 'Usage: tutti workflows events '],
])('help of existing commands is shown: %j', async (args, begin) => {
  const { code, stdout, stderr } = await runCommand(args);
  expect([code, stderr, stdout.slice(0, begin.length)]).toEqual([0, '', begin]);
});

test('a value that is called help asks for none', async () => {
  const { code, stderr } = await runCommand(['attachments', '--type', 'help', '-o', 'x', 'a']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('-o takes')]);
});

test('options alone are for the list', async () => {
  const { stderr } = await runCommand(['workflows', '--nope', 'x']);
  expect(stderr).toContain("Unknown option '--nope'");
});
