/** A real git repository in a temporary folder, removed after the tests of the file. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

export interface GitRepository {
  readonly path: string;
  /** Ids of the commits that `commit` made, the oldest first. */
  readonly commits: readonly string[];
  git(...words: readonly string[]): string;
  /** Commits all there is, with this text in the file. */
  commit(file: string, text: string): void;
}

/** `folder`: how the name of the temporary folder begins; with a blank, as paths may have one. */
export function createGitRepository(folder: string): GitRepository {
  const root = mkdtempSync(join(tmpdir(), folder));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const path = join(root, 'shop.git');
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', path]);
  const commits: string[] = [];
  const git = (...words: readonly string[]): string => {
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
    return execFileSync('git', ['-C', path, ...identity, ...words], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  };
  const commit = (file: string, text: string): void => {
    writeFileSync(join(path, file), text);
    git('add', '.');
    git('commit', '-m', text);
    commits.push(git('rev-parse', 'HEAD'));
  };
  return { path, commits, git, commit };
}
