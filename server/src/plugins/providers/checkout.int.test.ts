import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkoutProvider } from './checkout.ts';
import { createGitRepository } from './git-repository.fixture.ts';
import {
  callProvider,
  inTemporaryDirectory,
  runSteps,
  withVariables,
} from './provider-scripts.fixture.ts';

const { path: repository, commits, git, commit } = createGitRepository('checkout origin ');

beforeAll(() => {
  commit('file.txt', 'first');
  git('tag', 'v1.0');
  git('branch', 'feature/one');
  commit('file.txt', 'more');
  git('branch', 'feature/two');
  commit('file.txt', 'second');
  git('branch', '-f', 'feature/two');
  git('update-ref', 'refs/merge/1', 'HEAD');
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
    [{}, 2, 'HEAD -> main'],
    [{ ref: 'feature/one' }, 0, 'HEAD -> feature/one'],
    [{ ref: 'v1.0' }, 0, 'HEAD, '],
  ])('of %j reports the commit', async (inputs, index, names) => {
    await inTemporaryDirectory(async (cwd) => {
      const given = { repository: `file://${repository}`, ...inputs };
      const steps = await callProvider(checkoutProvider, 'actions/checkout@v3', given);
      const { output } = await runSteps(steps, cwd);
      const line = `::checkout commit=${commits[index]}::file://${repository}\tgrafted, ${names}`;
      expect(output).toContain(line);
    });
  });

  test('of a repository without commits reports none', async () => {
    await inTemporaryDirectory(async (cwd) => {
      execFileSync('git', ['init', '--quiet', '--bare', join(cwd, 'empty.git')]);
      const given = { repository: `file://${cwd}/empty.git` };
      const steps = await callProvider(checkoutProvider, 'actions/checkout@v3', given);
      const { exitCode, output } = await runSteps(steps, cwd);
      expect(exitCode, output).toBe(0);
      expect(output).not.toContain('::checkout');
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

  test.each([
    ['v1', {}, '3'],
    ['v1', { 'fetch-depth': 1 }, '1'],
    ['v2', {}, '1'],
    ['v3', {}, '1'],
    ['v3', { 'fetch-depth': '2' }, '2'],
    ['v3', { 'fetch-depth': 0 }, '3'],
    ['v3', { 'fetch-depth': 0, ref: 'feature/two' }, '3'],
    ['v2', { ref: 'refs/merge/1' }, '1'],
  ])('of version %s with %j has %s commits', async (version, more, commitCount) => {
    await inTemporaryDirectory(async (cwd) => {
      const given = { repository: `file://${repository}`, ...more };
      const uses = `actions/checkout@${version}`;
      const { exitCode, output } = await runSteps(
        await callProvider(checkoutProvider, uses, given),
        cwd,
      );
      expect(exitCode, output).toBe(0);
      const count = ['-C', join(cwd, 'shop'), 'rev-list', '--count', 'HEAD'];
      expect(execFileSync('git', count, { encoding: 'utf8' }).trim()).toBe(commitCount);
    });
  });

  test.each([
    ['sends single commits', true, 'v3', {}, '1'],
    ['sends single commits', true, 'v3', { 'fetch-depth': 2 }, '2'],
    ['sends single commits', true, 'v3', { 'fetch-depth': 0 }, '2'],
    ['sends single commits', true, 'v1', {}, '2'],
    ['sends none', false, 'v3', {}, '2'],
  ])(
    'of a commit that no branch ends with, of a server that %s (%j), by version %s with %j has %s commits',
    async (_what, isSent, version, more, commitCount) => {
      await inTemporaryDirectory(async (cwd) => {
        const ref = commits[1] ?? '';
        const given = { repository: `file://${repository}`, ref, ...more };
        const uses = `actions/checkout@${version}`;
        const steps = await callProvider(checkoutProvider, uses, given);
        // The first version of the protocol leaves it to the server.
        const asked = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'protocol.version' };
        const { exitCode, output } = await runSteps(
          withVariables(steps, { ...asked, GIT_CONFIG_VALUE_0: isSent ? '2' : '0' }),
          cwd,
        );
        expect(exitCode, output).toBe(0);
        const within = ['-C', join(cwd, 'shop')];
        const shownBy = (...words: string[]) =>
          execFileSync('git', [...within, ...words], { encoding: 'utf8' }).trim();
        expect(shownBy('rev-parse', 'HEAD')).toBe(ref);
        expect(shownBy('rev-list', '--count', 'HEAD')).toBe(commitCount);
      });
    },
  );

  test.each([
    ['false', false, false],
    [true, true, false],
    ['recursive', true, true],
  ])('with submodules %s', async (submodules, hasOuter, hasInner) => {
    await inTemporaryDirectory(async (cwd) => {
      const inner = join(cwd, 'inner');
      const outer = join(cwd, 'outer');
      const main = join(cwd, 'main');
      for (const [path, module] of [
        [inner, null],
        [outer, inner],
        [main, outer],
      ] as const) {
        git('init', '--quiet', path);
        writeFileSync(join(path, 'x'), 'x');
        const within = ['-C', path, '-c', 'protocol.file.allow=always'];
        if (module !== null) git(...within, 'submodule', 'add', module, 'module');
        git(...within, 'add', '.');
        git(...within, 'commit', '-m', 'x');
      }
      const given = { repository: main, submodules, path: '-x' };
      const steps = await callProvider(checkoutProvider, 'actions/checkout@v3', given);
      const allowed = withVariables(steps, { GIT_ALLOW_PROTOCOL: 'file' });
      const { exitCode, output } = await runSteps(allowed, cwd);
      expect(exitCode, output).toBe(0);
      expect(existsSync(join(cwd, '-x/module/x'))).toBe(hasOuter);
      expect(existsSync(join(cwd, '-x/module/module/x'))).toBe(hasInner);
    });
  });

  test.each([-1, 1.5, 'x'])('of %j commits is refused', async (depth) => {
    const given = { repository, 'fetch-depth': depth };
    const called = callProvider(checkoutProvider, 'actions/checkout@v3', given);
    await expect(called).rejects.toThrow('Input "fetch-depth"');
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
