import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'tutti-token-'));
const dataDir = join(folder, 'data');

afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['--namespaces', 'a,,b'],
  ['--namespaces', ''],
  ['--resources', 'workflows,'],
  ['--verbs', ' ,list'],
])('a token is not made with an empty name in %s, as in "%s"', async (option, list) => {
  const args = ['token', 'create', '--subject', 'ci', '--data-dir', dataDir, option, list];
  const { code, stdout, stderr } = await runCommand(args);
  expect(stderr).toBe(
    `tutti: ${option} takes names with commas between them, and one of "${list}" is empty.\nWhat to do: write one between all commas, or leave commas out.\n`,
  );
  expect([code, stdout]).toEqual([2, '']);
  expect(existsSync(dataDir)).toBe(false);
});

test('a wrong name of a namespace is named, and nothing is made', async () => {
  const args = ['token', 'create', '--subject', 'ci', '--data-dir', dataDir];
  const { code, stderr } = await runCommand([...args, '--namespaces', 'a,B_c']);
  expect(stderr).toBe(
    'tutti: --namespaces takes names of namespaces, and "B_c" is none.\n' +
      'What to do: take small letters, digits and -, or * for all.\n',
  );
  expect([code, existsSync(dataDir)]).toEqual([2, false]);
});

test('Git passes over a data directory that is made for a token', async () => {
  const made = join(folder, 'made');
  const { code } = await runCommand(['tokens', 'create', '--subject', 'ci', '--data-dir', made]);
  expect([code, readFileSync(join(made, '.gitignore'), 'utf8')]).toEqual([0, '*\n']);
});

test.runIf(process.platform === 'linux')(
  'a data directory that nobody can make is refused at once',
  async () => {
    const args = ['token', 'create', '--subject', 'ci', '--data-dir', '/proc/nope'];
    const { code, stdout, stderr } = await runCommand(args);
    expect(stderr).toBe(
      'tutti: Cannot make the directory /proc/nope: none can be made there.\n' +
        'What to do: choose another path, or see to it that this account may use this one.\n',
    );
    expect([code, stdout]).toEqual([2, '']);
  },
);
