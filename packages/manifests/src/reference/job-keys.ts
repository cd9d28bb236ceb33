import type { KeyReferences } from './key-reference.ts';

export const jobKeys = {
  name: {
    meaning:
      'For readers; the log and `needs` use the key, but for jobs of a [matrix](#matrices), whose names may have expressions.',
    example: 'Unit tests',
    otherwise: 'the key',
  },
  'runs-on': {
    meaning:
      'What the environment must be: it has to carry all of these tags. An expression may give a list.',
    example: ['linux', 'node'],
    type: 'tag, expression or list of them',
    otherwise: 'any environment',
  },
  needs: {
    meaning: 'Jobs that must have ended before.',
    example: ['build'],
    type: 'name or list of names',
    otherwise: 'none',
  },
  if: {
    meaning: 'Whether the job runs; decided when its needs ended.',
    example: "needs.build.result == 'success'",
    type: '[condition](#conditions)',
    default: 'success()',
  },
  variables: {
    meaning: 'Variables of all steps; they win over those of the workflow.',
    example: { SHOP_URL: 'http://localhost:8080' },
  },
  'defaults.run.shell': {
    meaning:
      'The shell of the `run` steps of the job; wins over that of the workflow. It may have expressions, evaluated for each step.',
    example: 'bash',
    otherwise: 'that of the workflow',
  },
  'defaults.run.working-directory': {
    meaning:
      'The directory of the `run` steps of the job; wins over that of the workflow. It may have expressions, evaluated for each step.',
    example: 'shop',
    otherwise: 'that of the workflow',
  },
  'concurrency.group': {
    meaning:
      'As for workflows, for this job; expressions in it are evaluated when its needs ended. A group that the workflow itself or a bundle around holds is an error, found at the start where the names have no expressions.',
    example: 'staging',
  },
  'concurrency.cancel-in-progress': {
    meaning: 'As for workflows, for this job; evaluated with the name of the group.',
    example: true,
    default: false,
  },
  'strategy.matrix': {
    meaning: 'The job runs once for each combination of these values.',
    example: { os: ['linux', 'windows'], node: [22, 24] },
    type: '[matrix](#matrices) or expression',
  },
  'strategy.max-parallel': {
    meaning:
      'How many jobs of the bundle, at any depth, have or ask for an environment at one time. Without a bundle or a matrix it has no effect.',
    example: 2,
    otherwise: 'no limit',
  },
  'strategy.fail-fast': {
    meaning:
      'The first job of the bundle that fails stops the others, as a cancellation would. Without a bundle or a matrix it has no effect.',
    example: false,
    otherwise: '`true` for a matrix, else `false`',
  },
  'timeout-minutes': {
    meaning:
      'How long the job may wait for an environment, and again how long it may run there, in minutes.',
    example: 30,
    default: 360,
  },
  'continue-on-error': {
    meaning: 'Failures and timeouts of this job do not fail the run.',
    example: true,
    default: false,
  },
  outputs: {
    meaning:
      'Evaluated at the end of the job; other jobs read `needs.<job>.outputs.<name>`. Numbers, `true` and `false` count as their texts.',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: expressions are written so.
    example: { version: '${{ steps.build.outputs.version }}' },
  },
  steps: {
    meaning: 'What the job does, in order: 1 to 1024 steps.',
    example: [{ run: 'npm test' }],
  },
  jobs: {
    meaning: 'The job is a [bundle](#bundles), which stands for these.',
    example: { unit: { steps: [{ run: 'npm test' }] } },
  },
  generator: {
    meaning:
      'The job is a [bundle](#bundles) of the jobs that this [generator](#generators) gives.',
    example: 'tm.squashtest.org/tm.generator@v1',
    type: '`[prefix/]name[@version]`',
  },
  uses: {
    meaning:
      'The job is a [bundle](#bundles) of the jobs of the workflow that it [calls](#called-workflows).',
    example: './checks.yaml',
    type: '`./NAME`, `REPOSITORY/PATH@REF`, or expression',
  },
  with: {
    meaning: 'Inputs of the generator, or of the workflow that is called.',
    example: { testPlan: 'nightly' },
    type: 'map',
  },
} as const satisfies KeyReferences;

export const jobMaps: Readonly<Record<string, string>> = {
  defaults: 'What the steps of the job take that say nothing else; wins over that of the workflow.',
  'defaults.run':
    'What the `run` steps of the job take that say nothing else; wins over that of the workflow.',
  concurrency: 'The group of jobs (or runs) of which one goes on at a time.',
  strategy: 'Whether the job runs several times, with which values, and how these go on together.',
};
