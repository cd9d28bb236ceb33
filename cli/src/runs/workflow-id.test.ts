import { expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

test.each([['status'], ['cancel']])('%s refuses a text that is no id', async (command) => {
  expect(await runCommand([command, 'nope'])).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'tutti: Not the id of a workflow: "nope".\n' +
      'What to do: see which workflows there are with "tutti workflows".\n',
  });
});

test.each([
  [['run', ''], 'The name of the workflow file is empty.'],
  [['validate', ''], 'The name of the workflow file is empty.'],
  [['server', '--config', ''], '--config names no file.'],
])('%j names no file, and is refused', async (args, message) => {
  const { code, stderr } = await runCommand(args);
  expect([code, stderr.split('\n')[0]]).toEqual([2, `tutti: ${message}`]);
});

test('run reads standard input as validate does', async () => {
  const { stderr } = await runCommand(['run', '-', '-f', 'a=b', '--server', 'http://127.0.0.1:1'], {
    input: 'resources: {files: [c]}',
  });
  expect(stderr).toContain('The workflow asks for no file "a".');
});
