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
  tests: {
    meaning:
      'The tests of the function judge the step, not its exit code alone: see [Steps that are judged by their tests](#steps-that-are-judged-by-their-tests). Only beside `uses`.',
    example: { retry: { times: 2 } },
    type: 'map',
    otherwise: 'the exit code judges',
  },
} as const satisfies KeyReferences;
