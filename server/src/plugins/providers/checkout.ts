/** `actions/checkout`: brings a git repository into the workspace (wire facts 10.6). */
import type { ChannelOs, InputDeclarations, WorkflowStep } from '@tutti/manifests';
import { commandLine, defineProvider, type Runner, scriptStep, stopOnError } from '@tutti/sdk';
import { repositoryUrl } from './repository-url.ts';

const inputs = {
  repository: {
    description: 'The URL of the repository, or a repository of the resources.',
    required: true,
  },
  ref: { description: 'A branch, a tag, or a commit. Default: the main branch.', type: 'string' },
  path: {
    description: 'The directory to check out into. Default: the name of the repository.',
    type: 'string',
  },
} as const satisfies InputDeclarations;

/** The repository as the step gives it. */
type GivenCheckout = Omit<Checkout, 'repository'> & { readonly repository: unknown };

interface Checkout {
  readonly repository: string;
  readonly ref: string;
  readonly path: string;
}

const versions = ['v1', 'v2', 'v3'] as const;

const functionOf = (version: string) => ({
  prefix: 'actions',
  category: 'checkout',
  version,
  description: 'Checks out a git repository.',
  inputs,
  steps: ({ repository, ref, path }: GivenCheckout, { os, repositories = [] }: Runner) => [
    checkoutStep(os, { repository: repositoryUrl(repository, repositories), ref, path }),
  ],
});

export const checkoutProvider = defineProvider({
  name: 'checkout',
  functions: versions.map(functionOf),
});

function checkoutStep(os: ChannelOs, checkout: Checkout): WorkflowStep {
  const commands = COMMIT.test(checkout.ref) ? commitCommands(checkout) : cloneCommands(checkout);
  const lines = commands.map((words) => stopOnError(os, commandLine(os, words)));
  // An environment has nobody to ask for a password: without this, git would wait for one until the step times out.
  return scriptStep(os, lines, { variables: { GIT_TERMINAL_PROMPT: '0' } });
}

/** A commit, whole or abbreviated; `clone` takes only names of branches and tags. */
const COMMIT = /^[0-9a-f]{7,64}$/i;

/** History is left out: tests look at files. Values are behind `--` or `=`, so that none of them can be an option. */
function cloneCommands({ repository, ref, path }: Checkout): readonly (readonly string[])[] {
  const name = ref.replace(/^refs\/(?:heads|tags)\//, '');
  return [
    [
      ...['git', 'clone', '--depth=1'],
      ...(name === '' ? [] : [`--branch=${name}`]),
      ...['--', repository],
      ...(path === '' ? [] : [path]),
    ],
  ];
}

/** Servers may refuse to send a single commit, so this takes the history and looks the commit up in it. */
function commitCommands({ repository, ref, path }: Checkout): readonly (readonly string[])[] {
  const directory = path === '' ? directoryOf(repository) : path;
  return [
    ['git', 'clone', '--no-checkout', '--', repository, directory],
    // `./` in front of what begins with a dash: `-C` has no form with `=`.
    ['git', '-C', directory.replace(/^-/, './-'), 'checkout', ref, '--'],
  ];
}

/** The directory that git itself would choose. */
function directoryOf(repository: string): string {
  const path = repository.replace(/(?<![\\/])[\\/]+$/, '').replace(/[\\/]\.git$/, '');
  return path.slice(path.search(/(?<![^\\/:])[^\\/:]*$/)).replace(/\.git$/, '') || 'repository';
}
