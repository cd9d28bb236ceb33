import type { KeyReferences } from './key-reference.ts';

export const variableKeys = {
  value: { meaning: 'The value.', example: 'a value with $HOME' },
  verbatim: {
    meaning: 'Keeps the shell of the environment from expanding the value.',
    example: true,
    default: false,
  },
} as const satisfies KeyReferences;

export const inputKeys = {
  description: {
    meaning: 'For the people who start the run.',
    example: 'The browser to test with',
  },
  type: {
    meaning: 'What the value is converted to.',
    example: 'choice',
    otherwise: 'taken as it is',
  },
  required: {
    meaning: 'Whether a run without a value is refused.',
    example: true,
    default: false,
  },
  default: {
    meaning: 'The value if none is given. It must be of the type.',
    example: 'firefox',
    type: 'of the type',
    otherwise: 'empty, 0, false',
  },
  options: { meaning: 'The values of a `choice`.', example: ['firefox', 'chromium'] },
  depreciationMessage: {
    meaning: 'Kept for programs that show forms.',
    example: 'Use browsers instead',
  },
} as const satisfies KeyReferences;

export const outputKeys = {
  description: { meaning: 'For the readers of the workflow.', example: 'Where the report is' },
  value: {
    meaning: 'The text, evaluated when all jobs have ended.',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: expressions are written so.
    example: '${{ jobs.unit.outputs.report }}',
  },
} as const satisfies KeyReferences;
