import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { fetchFileProvider } from './fetch-file.ts';
import { createGitRepository } from './git-repository.fixture.ts';
import { callProvider, inTemporaryDirectory, runSteps } from './provider-scripts.fixture.ts';

const { path: repository, commits, git, commit } = createGitRepository('fetch origin ');

beforeAll(() => {
  mkdirSync(join(repository, 'tests'));
  symlinkSync('a & b.yaml', join(repository, 'tests', 'link.yaml'));
  symlinkSync('/etc/passwd', join(repository, 'out.yaml'));
  symlinkSync('/etc', join(repository, 'etc'));
  commit(join('tests', 'a & b.yaml'), 'first');
  git('tag', '-a', '-m', 'x', 'v1.0');
  git('branch', 'feature/one');
  git('branch', 'abcdef01');
  commit(join('tests', 'a & b.yaml'), 'second');
});

interface Fetched {
  readonly exitCode: number;
  readonly output: string;
  readonly content: string | null;
}

const USES = 'tutti/fetch-file@v1';
const PATH = 'tests/a & b.yaml';

async function fetched(more: Readonly<Record<string, string>>): Promise<Fetched> {
  let found: Fetched = { exitCode: -1, output: '', content: null };
  await inTemporaryDirectory(async (cwd) => {
    const given = { repository: `file://${repository}`, path: PATH, ...more };
    const run = await runSteps(await callProvider(fetchFileProvider, USES, given), cwd);
    const [, attached] = /^::attach name=[^:]*::(.*)$/m.exec(run.output) ?? [];
    found = { ...run, content: attached === undefined ? null : readFileSync(attached, 'utf8') };
    expect(existsSync(join(cwd, 'pwned'))).toBe(false);
  });
  return found;
}

describe('fetching a file', () => {
  test.each([
    ['of the main branch', {}, 'second', 1],
    ['of a branch', { ref: 'feature/one' }, 'first', 0],
    ['of a branch that looks like a commit', { ref: 'abcdef01' }, 'first', 0],
    ['of a tag', { ref: 'v1.0' }, 'first', 0],
    ['of a full name', { ref: 'refs/heads/main' }, 'second', 1],
    ['of a repository without an address', { repository: '' }, 'second', 1],
  ])('%s attaches it, and tells the commit', async (_, given, content, index) => {
    const plain = 'repository' in given ? { repository } : {};
    const run = await fetched({ ...given, ...plain });
    expect(run).toMatchObject({ exitCode: 0, content });
    expect(run.output).toContain(`::set-output name=commit::${commits[index]}\n`);
    expect(run.output).toContain('::attach name=a_&_b.yaml::');
  });

  test.each([40, 8])('of a commit of %d digits attaches it', async (length) => {
    const run = await fetched({ ref: (commits[0] ?? '').slice(0, length) });
    expect(run).toMatchObject({ exitCode: 0, content: 'first' });
  });

  test('may happen again in the same place', async () => {
    await inTemporaryDirectory(async (cwd) => {
      const steps = await callProvider(fetchFileProvider, USES, { repository, path: PATH });
      expect((await runSteps([...steps, ...steps], cwd)).exitCode).toBe(0);
    });
  });

  test.each([
    ['a repository that is not there', { repository: '/nowhere/x.git' }, 'repository'],
    ['a ref that is not there', { ref: 'v9' }, 'repository'],
    ['a commit that is not there', { ref: '0'.repeat(40) }, 'repository'],
    ['a file that is not there', { path: 'none.yaml' }, 'file'],
    ['a directory', { path: 'tests' }, 'file'],
    ['a link', { path: 'tests/link.yaml' }, 'file'],
    ['a link out of the repository', { path: 'out.yaml' }, 'file'],
    ['a file behind a link', { path: 'etc/passwd' }, 'file'],
    ['a path out of the repository', { path: '../../x' }, 'file'],
    ['a pattern', { path: ':(glob)tests/*.yaml' }, 'file'],
    ['an option for a repository', { repository: '--upload-pack=touch pwned' }, 'repository'],
    ['a command for a repository', { repository: '$(touch pwned)' }, 'repository'],
    ['a program for a transport', { repository: 'ext::sh -c "touch pwned"' }, 'repository'],
    ['an option for a ref', { ref: '--upload-pack=touch' }, 'repository'],
    ['a command for a ref', { ref: ';touch$IFS.pwned' }, 'repository'],
    ['a command for a path', { path: '$(touch pwned)' }, 'file'],
    ['an option for a path', { path: '--help' }, 'file'],
  ])('of %s fails, says where, and runs nothing', async (_, given, problem) => {
    const run = await fetched(given);
    expect(run.exitCode, run.output).not.toBe(0);
    expect(run.output).toContain(`::set-output name=problem::${problem}\n`);
    expect(run.content).toBeNull();
  });

  test.each(['main:refs/heads/x', 'a b', '*', 'x~1'])('of the ref %j is refused', async (ref) => {
    await expect(fetched({ ref })).rejects.toThrow('is no branch, tag or commit');
  });
});
