/** Version and branch that a run tests: as the build server says, else as git says. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { Io } from '../terminal/io.ts';

export interface Tested {
  readonly version: string | undefined;
  readonly branch: string | undefined;
}

interface Given {
  readonly codeVersion?: string | undefined;
  readonly branch?: string | undefined;
}

/** The first that is set counts. A build of a proposed change tests the branch of the change. */
const VERSIONS = ['GITHUB_SHA', 'CI_COMMIT_SHA', 'BUILD_SOURCEVERSION', 'GIT_COMMIT'];
const BRANCHES = [
  'GITHUB_HEAD_REF',
  'GITHUB_REF_NAME',
  'CI_COMMIT_REF_NAME',
  'BUILD_SOURCEBRANCH',
  'GIT_BRANCH',
];

/** A local run does not wait for git. */
export async function testedBy(
  given: Given,
  { env }: Pick<Io, 'env'>,
  { asksGit }: { readonly asksGit: boolean },
): Promise<Tested> {
  const version = given.codeVersion ?? firstOf(VERSIONS, env);
  const branch = given.branch ?? firstOf(BRANCHES, env);
  if (!asksGit || (version !== undefined && branch !== undefined)) return { version, branch };
  const found = await checkedOut(process.cwd());
  return { version: version ?? found.version, branch: branch ?? found.branch };
}

/** Jenkins names branches with their remote. */
const firstOf = (names: readonly string[], env: Io['env']): string | undefined =>
  names.flatMap((name) => env[name] || []).map((text) => text.replace(/^origin\//, ''))[0];

/** Nothing without git or a repository. */
async function checkedOut(directory: string): Promise<Tested> {
  const names = await askGit(directory, ['rev-parse', 'HEAD', '--abbrev-ref', 'HEAD']);
  const [commit, branch] = names?.split('\n') ?? [];
  if (commit === undefined) return { version: undefined, branch: undefined };
  const changes = await askGit(directory, ['diff', 'HEAD', '--no-ext-diff', '--binary']);
  // With changes that nobody read, the version is unknown.
  const version = changes === null ? undefined : `${commit}${markOf(changes)}`;
  return { version, branch: branch === 'HEAD' || branch === '' ? undefined : branch };
}

const markOf = (changes: string): string =>
  changes === '' ? '' : ` + ${createHash('sha256').update(changes).digest('hex').slice(0, 16)}`;

/** Changes of this size are mostly of generated files. */
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const TIME_MAX_MS = 5_000;

/** Null where git fails, or takes too long. */
function askGit(cwd: string, args: readonly string[]): Promise<string | null> {
  return new Promise((done) => {
    const options = { cwd, maxBuffer: OUTPUT_BYTES_MAX, timeout: TIME_MAX_MS };
    execFile('git', args, options, (error, output) => done(error === null ? output : null));
  });
}
