import { expect, test } from 'vitest';
import { createProgram } from '../program.ts';
import type { Io } from '../terminal/io.ts';
import { runCommand } from '../testing/run-command.ts';
import { subcommandFirst } from './subcommand-first.ts';

const io = { command: 'tutti', env: {} } as unknown as Io; // Nothing is run.
const { command: program } = await createProgram([], io);

test.each<[line: string, expected: string]>([
  ['workflows --server X show ID', 'workflows show --server X ID'],
  ['workflow --server X show ID', 'workflow show --server X ID'],
  ['workflows --server=X -o json show ID', 'workflows show --server=X -o json ID'],
  ['workflows -ojson cancel --all', 'workflows cancel -ojson --all'],
  ['workflows --kind show events ID', 'workflows events --kind show ID'],
  ['attachments --force cp a b', 'attachments cp --force a b'],
  ['config --client-config x view', 'config view --client-config x'],
  ['--debug agents --debug drain --all', '--debug agents drain --debug --all'],
  // An option that no command knows may have a value, or none.
  ['workflows --nope show ID', 'workflows --nope show ID'],
  ['workflows --server X', 'workflows --server X'],
  ['workflows --server show', 'workflows --server show'],
  ['workflows --server X 0198', 'workflows --server X 0198'],
  ['attachments --type x 0198 copy', 'attachments --type x 0198 copy'],
  ['workflows --server X -- show', 'workflows --server X -- show'],
  ['workflows show ID --server X', 'workflows show ID --server X'],
  ['run --server X show', 'run --server X show'],
  ['nonsense --server X show', 'nonsense --server X show'],
  ['--version', '--version'],
  ['', ''],
])('"%s" is read as "%s"', (line, expected) => {
  expect(subcommandFirst(line.split(' '), program)).toEqual(expected.split(' '));
});

test('options of a command may stand before it', async () => {
  const asked = ['workflows', '--server', 'http://127.0.0.1:1', 'show', '--token', 'T', '0198'];
  const { code, stderr } = await runCommand(asked);
  expect(code).toBe(2);
  expect(stderr).toContain('The server http://127.0.0.1:1 cannot be reached.');
});

test('an option before a command that has none of that name is refused as behind it', async () => {
  const { stderr } = await runCommand(['workflows', '--limit', '3', 'show', '0198']);
  expect(stderr).toBe(
    'tutti: Unknown option \'--limit\'\nWhat to do: see "tutti workflows show --help".\n',
  );
});
