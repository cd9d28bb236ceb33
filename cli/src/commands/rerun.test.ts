/** Wrong use of `tutti rerun` and of deletion is refused without a request. */
import { expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

test.each([
  [['run', 'x.yaml', '--from-failed', '0198'], 'a file'],
  [['run', '--from-failed', '0198', '-e', 'A=b'], '-e'],
  [['run', '--from-failed', '0198', '--jobs', 'a'], '--jobs'],
  [['run', '--from-failed', '0198', '--dry-run'], '--dry-run'],
])('%j is refused: an earlier run has its own', async (args, what) => {
  const { code, stderr } = await runCommand(args);
  expect([code, stderr]).toEqual([
    2,
    `tutti: --from-failed runs what is left of an earlier run, with all that this one was started with, and takes no ${what.replace('a ', '')}.\n` +
      `What to do: leave ${what} out; or leave --from-failed out, to run a workflow as a whole.\n`,
  ]);
});

test('--failed and --jobs exclude each other', async () => {
  const { code, stderr } = await runCommand([
    'workflows',
    'rerun',
    '0198',
    '--failed',
    '--jobs',
    'a',
  ]);
  expect([code, stderr]).toEqual([
    2,
    'tutti: --failed runs what failed or did not run, and --jobs the jobs that it names.\nWhat to do: leave one of them out.\n',
  ]);
});

test.each([
  [
    [],
    'No workflow is named.',
    'name the ones to delete by their ids ("tutti workflows" shows them), or with -l or --field-selector.',
  ],
  [
    ['0198', '-l', 'a=b'],
    'Workflows are named by their ids, or by selectors, and not in two of these ways.',
    'leave one of them out.',
  ],
])('workflows delete with %j is refused', async (args, what, next) => {
  const { code, stderr } = await runCommand(['workflows', 'delete', ...args]);
  expect([code, stderr]).toEqual([2, `tutti: ${what}\nWhat to do: ${next}\n`]);
});

test('run without a file, and without an earlier run, names the missing argument', async () => {
  const { code, stderr } = await runCommand(['run']);
  expect([code, stderr]).toEqual([
    2,
    `tutti: Missing required argument 'file'\nWhat to do: see "tutti run --help".\n`,
  ]);
});
