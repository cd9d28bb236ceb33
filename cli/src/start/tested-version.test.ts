import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { testedBy } from './tested-version.ts';

const UNKNOWN = { version: undefined, branch: undefined };
const NO_GIT = { asksGit: false };

let directory = '';
let before = '';

beforeEach(() => {
  before = process.cwd();
  directory = mkdtempSync(join(tmpdir(), 'tutti-tested-'));
  process.chdir(directory);
});

afterEach(() => {
  process.chdir(before);
  rmSync(directory, { recursive: true });
});

function git(...args: readonly string[]): string {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  return execFileSync('git', [...who, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
}

test('options win over build servers', async () => {
  const env = { GITHUB_SHA: 'abc', GITHUB_HEAD_REF: '', GITHUB_REF_NAME: 'main' };
  expect(await testedBy({}, { env }, NO_GIT)).toEqual({ version: 'abc', branch: 'main' });
  const given = { codeVersion: 'v1', branch: 'next' };
  expect(await testedBy(given, { env }, NO_GIT)).toEqual({ version: 'v1', branch: 'next' });
});

test.each([
  [
    { GIT_COMMIT: 'abc', GIT_BRANCH: 'origin/main' },
    { version: 'abc', branch: 'main' },
  ],
  [
    { CI_COMMIT_SHA: 'abc', CI_COMMIT_REF_NAME: 'a/b' },
    { version: 'abc', branch: 'a/b' },
  ],
  [{ BUILD_SOURCEVERSION: 'abc' }, { version: 'abc', branch: undefined }],
  [
    { GITHUB_SHA: 'a', GITHUB_HEAD_REF: 'fix', GITHUB_REF_NAME: '7/merge' },
    { version: 'a', branch: 'fix' },
  ],
  [{}, UNKNOWN],
])('build servers name them: %j', async (env, expected) => {
  expect(await testedBy({}, { env }, NO_GIT)).toEqual(expected);
});

test('git names them, with what is not committed', async () => {
  expect(await testedBy({}, { env: {} }, { asksGit: true })).toEqual(UNKNOWN);
  git('init', '--quiet', '--initial-branch', 'topic');
  writeFileSync('a.txt', 'one\n');
  git('add', '.');
  git('commit', '--quiet', '--message', 'first');
  const commit = git('rev-parse', 'HEAD');
  const asked = () => testedBy({}, { env: {} }, { asksGit: true });
  expect(await asked()).toEqual({ version: commit, branch: 'topic' });
  writeFileSync('a.txt', 'two\n');
  const changed = await asked();
  expect(changed.version).toMatch(new RegExp(`^${commit} \\+ [0-9a-f]{16}$`));
  expect(await asked()).toEqual(changed);
  writeFileSync('a.txt', 'three\n');
  expect((await asked()).version).not.toBe(changed.version);
  git('checkout', '--quiet', '--detach');
  expect((await asked()).branch).toBeUndefined();
});
