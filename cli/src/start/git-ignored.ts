/** Asks git which paths it ignores. Without git or a repository, it ignores none. */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

/** Ignored directories and files; directories without their content. */
export async function ignoredBelow(root: string): Promise<ReadonlySet<string>> {
  const args = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'];
  return pathsIn(root, await askGit(root, args, ''));
}

export async function ignoredAmong(
  root: string,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  return pathsIn(root, await askGit(root, ['check-ignore', '--stdin', '-z'], paths.join('\0')));
}

const pathsIn = (root: string, list: string): ReadonlySet<string> =>
  new Set(
    list
      .split('\0')
      .filter((path) => path !== '')
      .map((path) => resolve(root, path)),
  );

/** Empty on failure: git fails without matches, too. */
function askGit(root: string, args: readonly string[], input: string): Promise<string> {
  return new Promise((done) => {
    const git = spawn('git', ['-C', root, ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
    let output = '';
    git.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    git.on('error', () => done(''));
    git.on('close', (code) => done(code === 0 ? output : ''));
    // Without a repository, git does not read its input.
    git.stdin.on('error', () => {});
    git.stdin.end(input);
  });
}
