import type { KeyReferences } from './key-reference.ts';

export const workflowKeys = {
  apiVersion: {
    meaning: 'The version of the language. All versions mean the same, so it may be left out.',
    example: 'opentestfactory.org/v1',
    type: 'version',
    otherwise: 'the newest',
  },
  kind: { meaning: 'What the document is.', example: 'Workflow', otherwise: '`Workflow`' },
  'metadata.name': { meaning: 'Shown everywhere, as it is written.', example: 'shop tests' },
  'metadata.namespace': {
    meaning: 'Where the run belongs. The parameter `namespace` of the request wins.',
    example: 'team-a',
    default: 'default',
  },
  'metadata.labels': {
    meaning:
      'Found by label selectors. `live-executionlog/step-depth`, `live-executionlog/job-depth` and `live-executionlog/max-command-length` say how much `GET /workflows/{workflow_id}/logs` shows: 1, 1 and 0 if not set; 0 is without limit. A limit of a command is characters of its first line, and hides the others.',
    example: { team: 'shop' },
  },
  variables: { meaning: 'Variables of all jobs.', example: { SHOP_URL: 'http://localhost:8080' } },
  secrets: {
    meaning:
      'Variables of all jobs whose values are shown nowhere: `***` stands for them. They are not expanded, and expressions read `secrets.<name>`. A variable given with the request replaces a secret of its name.',
    example: { SHOP_PASSWORD: '' },
  },
  'defaults.run.shell': {
    meaning:
      'The shell of all `run` steps that name none. It may have expressions, evaluated for each step.',
    example: 'bash',
    otherwise: '`bash`, on Windows `cmd`',
  },
  'defaults.run.working-directory': {
    meaning:
      'The directory of all `run` steps that name none. It may have expressions, evaluated for each step.',
    example: 'shop',
    otherwise: 'the workspace',
  },
  'defaults.runs-on': {
    meaning:
      'The tags of jobs without tags of their own or of a bundle. In a called workflow, they are for its own jobs, besides the tags of the calling job.',
    example: ['linux', 'node'],
    type: 'tag or list of them',
    otherwise: 'any environment',
  },
  'concurrency.group': {
    meaning:
      'At most one run (or job) of a namespace holds a group; the others wait in order. It may have expressions, evaluated when the run begins.',
    example: 'staging',
  },
  'concurrency.cancel-in-progress': {
    meaning:
      'Whether the run [takes the group over](#concurrency): it cancels what holds the group, and all that waits for it.',
    example: true,
    default: false,
  },
  'strategy.matrix': {
    meaning: 'Has no effect, as with existing servers: a job can have one.',
    example: { shell: ['bash', 'zsh'] },
    type: 'anything',
  },
  'strategy.max-parallel': {
    meaning: 'How many jobs of the run have, or ask for, an environment at one time.',
    example: 4,
    otherwise: 'no limit',
  },
  'strategy.fail-fast': {
    meaning:
      'The first job of the workflow that fails stops the others, as a cancellation would. A job in a bundle does so as soon as it is certain that the bundle fails: at its end where an expression says whether that [continues on error](#job). A bundle that itself says `fail-fast: false` goes on to its end.',
    example: true,
    default: false,
  },
  'timeout-minutes': {
    meaning: 'How long the whole run may take, in minutes.',
    example: 90,
    otherwise: 'no limit',
  },
  'resources.files': {
    meaning:
      'Files that must come with the request, in parts of these names; `workflow`, `variables` and `inputs` are taken. Or files that the server fetches before it accepts the run. They are kept with the run, and a step fetches one by `::put file=NAME::PATH`.',
    example: ['data.zip', { name: 'rules.json', url: 'https://example.org/rules.json' }],
    type: 'list of names or of [files](#files)',
  },
  'resources.repositories': {
    meaning: 'Repositories with the credentials for them.',
    example: [
      {
        name: 'shop',
        type: 'github',
        repository: 'team/shop',
        endpoint: 'https://user:token@example.org',
      },
    ],
    type: 'list of [repositories](#repositories)',
  },
  'resources.testmanagers': {
    meaning: 'Test managers, for the functions that speak to them.',
    example: [
      { name: 'tm', type: 'squashtm', testmanager: 'shop', endpoint: 'https://tm.example.org' },
    ],
    type: 'list of [test managers](#test-managers)',
  },
  hooks: {
    meaning: 'Steps around jobs and around calls of functions: 1 to 64 hooks.',
    example: [{ name: 'disk', events: [{ channel: 'setup' }], before: [{ run: 'df -h .' }] }],
  },
  outputs: {
    meaning:
      'What the run [gives](#outputs): in the event at its end, and to the workflow that calls it.',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: expressions are written so.
    example: { report: '${{ jobs.unit.outputs.report }}' },
  },
  inputs: {
    meaning: 'What the run may be given.',
    example: { browser: { description: 'The browser to test with' } },
  },
  jobs: {
    meaning:
      'What the workflow does: 1 to 1024 jobs. Names have letters, digits, `_` and `-`, and do not begin with a digit or `-`.',
    example: { unit: { steps: [{ run: 'npm test' }] } },
  },
} as const satisfies KeyReferences;

export const workflowMaps: Readonly<Record<string, string>> = {
  metadata:
    'What the workflow is called, and where its runs belong. Further entries are kept and shown.',
  defaults: 'What jobs and steps take that say nothing else.',
  'defaults.run': 'What `run` steps take that say nothing else.',
  concurrency: 'The group of runs (or jobs) of which one goes on at a time.',
  strategy:
    'How many jobs of the run go on at one time, and whether the first that fails stops the others.',
  resources: 'Files, repositories and test managers that the run needs.',
};
