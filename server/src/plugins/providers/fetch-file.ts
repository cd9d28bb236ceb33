/**
 * `tutti/fetch-file`: attaches one file of a git repository, without a workspace of it. Workflows in repositories are fetched so
 * (wire facts 1.14).
 *
 * The file is read from the objects of git and never from a directory. So no link leads out of the repository. History is left out where
 * the server can send a single commit, and other files where it can filter.
 */
import {
  type ChannelOs,
  type InputDeclarations,
  OrchestratorError,
  type WorkflowStep,
} from '@tutti/manifests';
import { attach, commandLine, defineProvider, type Runner, scriptStep } from '@tutti/sdk';
import { type GitAccess, gitAccess } from './git-access.ts';

const inputs = {
  repository: {
    description: 'The URL of the repository, or a repository of the resources.',
    required: true,
  },
  path: {
    description: 'The file, from the root of the repository.',
    type: 'string',
    required: true,
  },
  ref: { description: 'A branch, a tag, or a commit. Default: the main branch.', type: 'string' },
} as const satisfies InputDeclarations;

interface FetchedFile {
  readonly access: GitAccess;
  readonly path: string;
  readonly ref: string;
}

const STEP_ID = 'fetch';

export const fetchFileProvider = defineProvider({
  name: 'fetch-file',
  functions: [
    {
      prefix: 'tutti',
      category: 'fetch-file',
      version: 'v1',
      description: 'Attaches a file of a git repository.',
      inputs,
      // `problem` says which part of it failed: `git`, `repository` or `file`.
      outputs: {
        commit: `\${{ steps.${STEP_ID}.outputs.commit }}`,
        problem: `\${{ steps.${STEP_ID}.outputs.problem }}`,
      },
      steps: ({ repository, path, ref }, { os, repositories = [] }: Runner) => [
        fetchStep(os, { access: gitAccess(os, repository, repositories), path, ref }),
      ],
    },
  ],
});

function fetchStep(os: ChannelOs, file: FetchedFile): WorkflowStep {
  refuseOddRef(file.ref);
  const lines = os === 'windows' ? windowsLines(file) : unixLines(os, file);
  return scriptStep(os, lines, {
    id: STEP_ID,
    name: `Fetch ${nameOf(file.path)}`,
    variables: {
      ...file.access.variables,
      // A path is no pattern.
      GIT_LITERAL_PATHSPECS: '1',
    },
  });
}

/** Together with what stands around it, it must remain the name of one reference. */
function refuseOddRef(ref: string): void {
  if (!/[\p{Cc}\s:*^~?[\\]/u.test(ref)) return;
  throw new OrchestratorError('Invalid', `Input "ref": "${ref}" is no branch, tag or commit.`);
}

/** A commit, whole or abbreviated: servers may refuse to send it alone. */
const COMMIT = /^[0-9a-f]{7,64}$/i;

const REPOSITORY = '.tutti-fetch.git';
const NOTE = '.tutti-fetch.txt';
const CONTENT = '.tutti-fetch.content';
const FETCHED = 'refs/fetched';
const BLOBS = ['--filter=blob:none', '--no-tags', '--quiet'];

/** Command lines of the parts, for any system. */
function partsOf(os: ChannelOs, { access, path, ref }: FetchedFile) {
  const git = (...words: readonly string[]) => commandLine(os, ['git', ...words]);
  const inRepository = (...words: readonly string[]) => git('-C', REPOSITORY, ...words);
  const fetch = (...words: readonly string[]) =>
    git(...access.options, '-C', REPOSITORY, 'fetch', ...BLOBS, ...words);
  return {
    version: git('--version'),
    init: git('init', '--quiet', '--bare', REPOSITORY),
    remote: inRepository('remote', 'add', '--', 'origin', access.url),
    one: fetch('--depth=1', 'origin', `+${ref === '' ? 'HEAD' : ref}:${FETCHED}`),
    all: fetch('origin', '+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'),
    name: inRepository('update-ref', FETCHED, ref),
    commit: inRepository('rev-parse', '--quiet', '--verify', `${FETCHED}~0`),
    entry: inRepository('ls-tree', FETCHED, '--', path),
    content: git(...access.options, '-C', REPOSITORY, 'cat-file', 'blob', `${FETCHED}:${path}`),
  };
}

/** Mode of files in `ls-tree`; links, directories and submodules have others. */
const FILE_MODE = '100';

function unixLines(os: ChannelOs, file: FetchedFile): readonly string[] {
  const git = partsOf(os, file);
  return [
    `rm -rf ${REPOSITORY}`,
    'failed() { echo "::set-output name=problem::$1"; exit 1; }',
    `${git.version} > /dev/null || failed git`,
    git.init,
    git.remote,
    COMMIT.test(file.ref)
      ? `${git.one} 2> /dev/null || (${git.all} && ${git.name}) || failed repository`
      : `${git.one} || failed repository`,
    `${git.commit} > ${NOTE} || failed repository`,
    `${git.entry} | grep -q '^${FILE_MODE}' || failed file`,
    `${git.content} > ${CONTENT} || failed repository`,
    `echo "::set-output name=commit::$(cat ${NOTE})"`,
    attach(os, CONTENT, { name: nameOf(file.path) }),
    `rm -rf ${REPOSITORY}`,
  ];
}

function windowsLines(file: FetchedFile): readonly string[] {
  const git = partsOf('windows', file);
  const or = (problem: string) => `|| (echo ::set-output name=problem::${problem}& exit /b 1)`;
  return [
    `@if exist ${REPOSITORY} rmdir /s /q ${REPOSITORY}`,
    `@${git.version} > nul ${or('git')}`,
    `@${git.init} || exit /b`,
    `@${git.remote} || exit /b`,
    COMMIT.test(file.ref)
      ? `@${git.one} 2> nul || (${git.all} && ${git.name}) ${or('repository')}`
      : `@${git.one} ${or('repository')}`,
    `@${git.commit} > ${NOTE} ${or('repository')}`,
    `@${git.entry} | findstr /b ${FILE_MODE} > nul ${or('file')}`,
    `@${git.content} > ${CONTENT} ${or('repository')}`,
    `@set /p FETCHED_COMMIT=<${NOTE}`,
    '@echo ::set-output name=commit::%FETCHED_COMMIT%',
    attach('windows', CONTENT, { name: nameOf(file.path) }),
    `@rmdir /s /q ${REPOSITORY}`,
  ];
}

/** The name of the file, as far as a parameter of an attachment can have it. */
function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/[\s,:\p{Cc}]/gu, '_') || 'file';
}
