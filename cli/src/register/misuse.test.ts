import { expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

test.each([
  ['tokens show -o xml', '-o takes table, json, not "xml".', 'tutti tokens show --help'],
  [
    'run w.yaml --progress dots',
    '--progress takes tree, line, plain, none, not "dots".',
    'tutti run --help',
  ],
  ['completion tcsh', 'shell takes bash, zsh, fish, not "tcsh".', 'tutti completion --help'],
])(
  'words that an option or an argument does not take are told as everywhere: %s',
  async (line, what, help) => {
    expect(await runCommand(line.split(' '))).toEqual({
      code: 2,
      stdout: '',
      stderr: `tutti: ${what}\nWhat to do: see "${help}".\n`,
    });
  },
);

test('a missing destination is reported by its name', async () => {
  const { code, stderr } = await runCommand(['attachments', 'copy']);
  expect([code, stderr]).toEqual([
    2,
    "tutti: Missing required argument 'attachment-and-destination'\n" +
      'What to do: see "tutti attachments copy --help".\n',
  ]);
});

test('the help that is named is called as the command was', async () => {
  const { stderr } = await runCommand(['run'], { command: 'npx tutti' });
  expect(stderr).toBe(
    'tutti: Missing required argument \'file\'\nWhat to do: see "npx tutti run --help".\n',
  );
});

test.each([
  ['workflows --status Bad', '--status takes PENDING, RUNNING, DONE, FAILED, not "Bad".'],
  ['testcases --outcome bad', '--outcome takes success, failure, error, skipped, not "bad".'],
])('invalid words of a list are reported as written: %s', async (line, what) => {
  expect(await runCommand(line.split(' '))).toEqual({
    code: 2,
    stdout: '',
    stderr: `tutti: ${what}\nWhat to do: write one or more of these, with commas between them.\n`,
  });
});
