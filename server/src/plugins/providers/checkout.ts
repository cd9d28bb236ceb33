/** `actions/checkout`: brings a git repository into the workspace (wire facts 10.6). */
import {
  type ChannelOs,
  type InputDeclarations,
  OrchestratorError,
  type WorkflowStep,
} from '@tutti/manifests';
import { commandLine, defineProvider, type Runner, scriptStep, stopOnError } from '@tutti/sdk';
import { type GitAccess, gitAccess } from './git-access.ts';

const inputsOf = (depth: number) =>
  ({
    repository: {
      description: 'The URL of the repository, or a repository of the resources.',
      required: true,
    },
    ref: { description: 'A branch, a tag, or a commit. Default: the main branch.', type: 'string' },
    path: {
      description: 'The directory to check out into. Default: the name of the repository.',
      type: 'string',
    },
    'fetch-depth': {
      description: `How many commits of the history to fetch; 0 is all of it. Default: ${depth}.`,
      type: 'number',
      default: depth,
    },
    submodules: {
      description: 'Whether to check out submodules, or also those within them.',
      type: 'choice',
      options: ['false', 'true', 'recursive'],
      default: 'false',
    },
  }) as const satisfies InputDeclarations;

interface Checkout {
  readonly access: GitAccess;
  readonly ref: string;
  readonly path: string;
  /** Commits of the history; 0 is all of it. */
  readonly depth: number;
  readonly submodules: string;
}

/** The first version fetched the whole history, and its users expect that. */
const DEPTHS = { v1: 0, v2: 1, v3: 1 } as const;

export const checkoutProvider = defineProvider({
  name: 'checkout',
  functions: Object.entries(DEPTHS).map(([version, depth]) => ({
    prefix: 'actions',
    category: 'checkout',
    version,
    description: 'Checks out a git repository.',
    inputs: inputsOf(depth),
    steps: (
      given: {
        readonly repository: unknown;
        readonly ref: string;
        readonly path: string;
        readonly 'fetch-depth': number;
        readonly submodules: string;
      },
      { os, repositories = [] }: Runner,
    ) => [
      checkoutStep(os, {
        access: gitAccess(os, given.repository, repositories),
        ref: given.ref,
        path: given.path,
        depth: depthOf(given['fetch-depth']),
        submodules: given.submodules,
      }),
    ],
  })),
});

function depthOf(given: number): number {
  if (Number.isSafeInteger(given) && given >= 0) return given;
  throw new OrchestratorError(
    'Invalid',
    'Input "fetch-depth": expected 0, or a number of commits.',
  );
}

function checkoutStep(os: ChannelOs, checkout: Checkout): WorkflowStep {
  const commands = [
    ...checkoutCommands(checkout),
    reportCommand(checkout),
    ...submoduleCommands(checkout),
  ];
  const line = (words: readonly string[]) =>
    commandLine(os, ['git', ...checkout.access.options, ...words]);
  const lines = commands.map(({ words, otherwise }) => {
    const others = otherwise === undefined ? '' : ` || ${line(otherwise)}`;
    return stopOnError(os, `${line(words)}${others}`);
  });
  return scriptStep(os, lines, { variables: checkout.access.variables });
}

/** A commit, whole or abbreviated; `clone` takes only names of branches and tags. */
const COMMIT = /^[0-9a-f]{7,64}$/i;

/** A whole commit id, of SHA-1 or SHA-256. */
const WHOLE_COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;

/** Depth that git takes for all of the history, also in a repository that has it. */
const ALL = 2_147_483_647;

/** Neither a branch nor a tag, such as the head of a merge request. */
const OTHER_REF = /^refs\/(?!heads\/|tags\/)[^\s:*?[\\^~\p{Cc}]+$/u;

interface GitCommand {
  readonly words: readonly string[];
  /** Tried when it fails. */
  readonly otherwise?: readonly string[];
}

type Commands = readonly GitCommand[];

/** Values are behind `--` or `=`, so that none of them can be an option. */
function checkoutCommands(checkout: Checkout): Commands {
  if (COMMIT.test(checkout.ref)) return commitCommands(checkout);
  return OTHER_REF.test(checkout.ref) ? refCommands(checkout) : [{ words: cloneWords(checkout) }];
}

const depthOption = ({ depth }: Checkout): readonly string[] =>
  depth === 0 ? [] : [`--depth=${depth}`];

function cloneWords(checkout: Checkout): readonly string[] {
  const { access, ref, path } = checkout;
  const name = ref.replace(/^refs\/(?:heads|tags)\//, '');
  return [
    ...['clone', ...depthOption(checkout)],
    ...(name === '' ? [] : [`--branch=${name}`]),
    ...['--', access.url],
    ...(path === '' ? [] : [path]),
  ];
}

function commitCommands(checkout: Checkout): Commands {
  const { access, ref, depth } = checkout;
  const isAlone = depth > 0 && WHOLE_COMMIT.test(ref);
  const bound = isAlone ? depthOption(checkout) : [];
  return [
    { words: ['clone', '--no-checkout', ...bound, '--', access.url, directory(checkout)] },
    ...(isAlone ? [fetchCommit(checkout)] : []),
    { words: [...within(checkout), 'checkout', ref, '--'] },
  ];
}

/** Servers may refuse to send a single commit: then it is looked up in the history. */
function fetchCommit(checkout: Checkout): GitCommand {
  const fetch = [...within(checkout), 'fetch'];
  const everything = ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'];
  return {
    words: [...fetch, ...depthOption(checkout), 'origin', checkout.ref],
    otherwise: [...fetch, `--depth=${ALL}`, 'origin', ...everything],
  };
}

function refCommands(checkout: Checkout): Commands {
  const depth = depthOption(checkout);
  return [
    { words: ['clone', '--no-checkout', ...depth, '--', checkout.access.url, directory(checkout)] },
    { words: [...within(checkout), 'fetch', ...depth, 'origin', checkout.ref] },
    { words: [...within(checkout), 'checkout', '--detach', 'FETCH_HEAD', '--'] },
  ];
}

/** Prints the workflow command with repository, commit, and the names of the commit. Git itself tells them on all systems. */
function reportCommand(checkout: Checkout): GitCommand {
  const url = checkout.access.url.replaceAll('%', '%%');
  const format = `--format=::checkout commit=%H::${url}%x09%D`;
  const words = [...within(checkout), 'log', '-1', '--no-show-signature', format];
  // An empty repository has no commit.
  return { words, otherwise: [...within(checkout), 'status', '--short'] };
}

function submoduleCommands(checkout: Checkout): Commands {
  const { submodules, ref } = checkout;
  if (submodules === 'false') return [];
  const recursive = submodules === 'recursive' ? ['--recursive'] : [];
  const depth = COMMIT.test(ref) ? [] : depthOption(checkout);
  return [
    { words: [...within(checkout), 'submodule', 'update', '--init', ...recursive, ...depth] },
  ];
}

const directory = ({ path, access }: Checkout): string =>
  path === '' ? directoryOf(access.url) : path;

/** `./` in front of what begins with a dash: `-C` has no form with `=`. */
const within = (checkout: Checkout): readonly string[] => [
  '-C',
  directory(checkout).replace(/^-/, './-'),
];

/** The directory that git itself would choose. */
function directoryOf(repository: string): string {
  const path = repository.replace(/(?<![\\/])[\\/]+$/, '').replace(/[\\/]\.git$/, '');
  return path.slice(path.search(/(?<![^\\/:])[^\\/:]*$/)).replace(/\.git$/, '') || 'repository';
}
