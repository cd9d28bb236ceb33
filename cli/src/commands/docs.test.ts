/** `tutti docs`: pages and sections. */
import { expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

test('all pages are listed with their titles', async () => {
  const { code, stdout } = await runCommand(['docs']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^guides\/init +A first workflow$/m);
  expect(stdout).toMatch(/^reference\/tools +\S/m);
});

test.each(['guides/init', 'docs/guides/init.md'])('%s is a page', async (page) => {
  const { code, stdout } = await runCommand(['docs', page]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^# A first workflow\n/);
});

test('a section ends before the next one of its level, and comments in code end nothing', async () => {
  const { stdout } = await runCommand(['docs', 'reference/workflow-commands#secrets-and-masks']);
  expect(stdout).toMatch(/^### Secrets and masks\n/);
  expect(stdout).toContain('#### Bounds of masks\n');
  expect(stdout).not.toContain('### Artifacts');
  const usage = await runCommand(['docs', 'reference/command-line']);
  expect(usage.stdout).toContain('tutti docs reference/language#step');
});

test.each([
  ['guides/int', 'There is no page "guides/int".', 'did you mean "guides/init"?'],
  ['../package', 'There is no page "../package".', '"tutti docs" shows what there is.'],
  [
    'guides/init#editor',
    'There is no section "editor" in that page.',
    '"tutti docs guides/init" shows what there is.',
  ],
  [
    'guides/init#othr-files',
    'There is no section "othr-files" in that page.',
    'did you mean "other-files"?',
  ],
])('%s is unknown', async (page, message, next) => {
  const { code, stderr } = await runCommand(['docs', page]);
  expect([code, stderr]).toEqual([2, `tutti: ${message}\nWhat to do: ${next}\n`]);
});
