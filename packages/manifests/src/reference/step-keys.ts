import type { KeyReferences } from './key-reference.ts';

export const stepKeys = {
  run: {
    meaning: "Commands, run as one process in the job's workspace.",
    example: 'npm ci && npm test',
  },
  uses: {
    meaning: 'The [function](#functions) whose steps take the place of this one.',
    example: 'actions/checkout@v3',
    type: '`[prefix/]name[@version]`',
  },
  with: {
    meaning: 'Inputs of the function.',
    example: { repository: 'https://example.org/shop.git' },
    type: 'map',
  },
  id: {
    meaning:
      "Unique in its job; later steps read `steps.<id>`. With other signs than letters, digits, `_` and `-` that is `steps['<id>']`.",
    example: 'build',
    otherwise: 'a new UUID',
  },
  name: {
    meaning: 'For readers. It may have expressions, evaluated when the step begins.',
    example: 'Run the unit tests',
    otherwise: 'the first line of `run`',
  },
  if: {
    meaning: 'Whether the step runs.',
    example: 'failure()',
    type: '[condition](#conditions)',
    default: 'success()',
  },
  shell: {
    meaning:
      'What runs the commands: `bash`, `cmd`, `python`, `pwsh`, `powershell`, or a template with `{0}` in the place of the script.',
    example: 'python',
    otherwise: '`bash`, on Windows `cmd`',
  },
  variables: {
    meaning: 'Variables of this step, and of the steps that a function puts in its place.',
    example: { LANG: 'C.UTF-8' },
  },
  'working-directory': {
    meaning: 'Relative to the workspace of the job.',
    example: 'shop',
    otherwise: 'the workspace',
  },
  'timeout-minutes': {
    meaning: 'The command is stopped after it, and the step fails. In minutes.',
    example: 5,
    otherwise: 'that of the job',
  },
  'continue-on-error': {
    meaning: 'A failure of the step does not count for the job.',
    example: true,
    default: false,
  },
  'tests.retry.times': {
    meaning: 'How often the tests that failed run again. From 1 to 10.',
    example: 2,
  },
  'tests.retry.at-most': {
    meaning: 'If more tests failed, none runs again. From 1 to 500.',
    example: 20,
    default: 50,
  },
  'tests.retry.delay-seconds': {
    meaning: 'The time before they run again. From 0 to 600.',
    example: 5,
    default: 0,
  },
  'tests.quarantine': {
    meaning: 'Failures of tests in quarantine do not count.',
    example: false,
    default: true,
  },
  'tests.fail-on-flaked': {
    meaning: 'The step also fails if a test failed and passed then.',
    example: true,
    default: false,
  },
} as const satisfies KeyReferences;

/** Descriptions of the maps in a step. */
export const stepMaps = {
  tests: 'The results of the tests decide the outcome of the step. Only beside `uses`.',
  'tests.retry': 'Runs failed tests again, and no others.',
} as const;
