import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkoutProvider } from './checkout.ts';
import { createGitRepository } from './git-repository.fixture.ts';
import { callProvider, inTemporaryDirectory, runSteps } from './provider-scripts.fixture.ts';

const { path: repository, commits, git, commit } = createGitRepository('checkout origin ');

beforeAll(() => {
  commit('file.txt', 'first');
  git('tag', 'v1.0');
  git('branch', 'feature/one');
  commit('file.txt', 'second');
});

describe('a checkout', () => {
  test.each([
    ['of the main branch', {}, 'shop', 'second'],
    ['of a branch', { ref: 'feature/one' }, 'shop', 'first'],
    ['of a tag', { ref: 'v1.0' }, 'shop', 'first'],
    ['of a full name of a branch', { ref: 'refs/heads/main' }, 'shop', 'second'],
    ['into a directory', { path: "my dir/it's" }, "my dir/it's", 'second'],
    ['into a directory like an option', { path: '-x' }, '-x', 'second'],
  ])('%s', async (_what, inputs, directory, content) => {
    await inTemporaryDirectory(async (cwd) => {
      const given = { repository: `file://${repository}`, ...inputs };
      const { exitCode } = await runSteps(
        await callProvider(checkoutProvider, 'actions/checkout@v2', given),
        cwd,
      );
      expect(exitCode).toBe(0);
      expect(await readFile(join(cwd, directory, 'file.txt'), 'utf8')).toBe(content);
    });
  });

  test.each([
    ['a commit', 40, ''],
    ['an abbreviated commit', 8, ''],
    ['a commit into a directory like an option', 40, '-x'],
  ])('of %s', async (_what, length, path) => {
    await inTemporaryDirectory(async (cwd) => {
      const given = {
        repository: `${repository}/`,
        ref: (commits[0] ?? '').slice(0, length),
        path,
      };
      const { exitCode, output } = await runSteps(
        await callProvider(checkoutProvider, 'actions/checkout@v3', given),
        cwd,
      );
      expect(exitCode, output).toBe(0);
      expect(readFileSync(join(cwd, path || 'shop', 'file.txt'), 'utf8')).toBe('first');
    });
  });

  test('takes no more of the history than it needs', async () => {
    await inTemporaryDirectory(async (cwd) => {
      const given = { repository: `file://${repository}` };
      await runSteps(await callProvider(checkoutProvider, 'actions/checkout@v1', given), cwd);
      const count = ['-C', join(cwd, 'shop'), 'rev-list', '--count', 'HEAD'];
      expect(execFileSync('git', count, { encoding: 'utf8' }).trim()).toBe('1');
    });
  });

  test.each([
    ['an option for a repository', { repository: '--upload-pack=touch pwned' }],
    ['a command for a repository', { repository: '$(touch pwned)' }],
    ['an option for a reference', { repository, ref: '--upload-pack=touch pwned' }],
    ['a command for a reference', { repository, ref: '; touch pwned' }],
    ['a program for a transport', { repository: 'ext::sh -c "touch pwned"' }],
  ])('of %s fails and runs nothing', async (_what, given) => {
    await inTemporaryDirectory(async (cwd) => {
      const steps = await callProvider(checkoutProvider, 'actions/checkout@v2', given);
      expect((await runSteps(steps, cwd)).exitCode).not.toBe(0);
      await expect(readFile(join(cwd, 'pwned'))).rejects.toThrow('ENOENT');
    });
  });
});
