/** `tutti init` in real folders; tests/technologies runs the workflows that it writes. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-init-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const VITEST = '{"devDependencies": {"vitest": "4", "jest": "30"}}';

test('a workflow is written, and the findings and the next steps are printed', async () => {
  const folder = folderWith({ 'package.json': VITEST });
  const { code, stdout } = await runCommand(['init', folder]);
  expect(code).toBe(0);
  expect(stdout).toContain(
    ':\n  Vitest, by package.json\n  Jest, by package.json\nNot installed on this machine, and needed: node, npx.\nWrote ',
  );
  expect(stdout).toMatch(/What comes next:\n {2}cd \S+ && tutti run workflow\.yaml\n$/);
  const file = join(folder, 'workflow.yaml');
  expect(await runCommand(['validate', file])).toMatchObject({ code: 0 });
  // Editors read the schema of the line.
  const [, path = ''] =
    /^# yaml-language-server: \$schema=(.*)\n/.exec(readFileSync(file, 'utf8')) ?? [];
  const schema = JSON.parse(readFileSync(join(folder, path), 'utf8'));
  expect(schema.definitions.step.properties.uses.anyOf[0].enum).toContain('vitest/vitest@v1');
  expect(readFileSync(join(folder, '.tutti/.gitignore'), 'utf8')).toBe('*\n');
});

test.each([
  ['nothing that is known', {}],
  ['tests in folders', { 'a b/go.mod': '', "it's/Cargo.toml": '', 'c/package.json': VITEST }],
  [
    'everything',
    {
      'package.json': VITEST,
      'pom.xml': '',
      'conftest.py': '',
      'x.robot': '',
      'go.mod': '',
      'Cargo.toml': '',
      'a.sln': '',
      'phpunit.xml': '',
      'yarn.lock': '',
      'node_modules/x': '',
    },
  ],
])('the workflow for %s is valid, without a remark', async (_what, files) => {
  const folder = folderWith(files);
  const { stdout: text } = await runCommand(['init', folder, '--output', '-']);
  const { code, stdout } = await runCommand(['validate', '-', '--format', 'json'], { input: text });
  expect([code, stdout]).toEqual([0, expect.stringContaining('"problems": []')]);
});

test('a file that is there is not replaced, unless that is wanted', async () => {
  const folder = folderWith({ 'workflow.yaml': 'mine', 'go.mod': '' });
  const file = join(folder, 'workflow.yaml');
  const { code, stderr } = await runCommand(['init', folder]);
  expect([code, stderr]).toEqual([
    2,
    `tutti: ${file} is there already.\nWhat to do: replace it with --force, or name another file with --output.\n`,
  ]);
  expect(readFileSync(file, 'utf8')).toBe('mine');
  expect(await runCommand(['init', folder, '--force'])).toMatchObject({ code: 0 });
  expect(readFileSync(file, 'utf8')).toContain('go/test@v1');
});

test.each([
  ['/nowhere/at/all', 'There is no directory /nowhere/at/all.'],
  [import.meta.filename, `${import.meta.filename} is no directory.`],
])('%s is refused', async (directory, message) => {
  const { code, stderr } = await runCommand(['init', directory]);
  expect([code, stderr]).toEqual([
    2,
    `tutti: ${message}\nWhat to do: name the directory that has the tests.\n`,
  ]);
});
