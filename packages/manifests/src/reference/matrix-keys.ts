import type { KeyReferences } from './key-reference.ts';

export const matrixKeys = {
  include: {
    meaning:
      'Each entry extends the combinations that have the same values in its axes, or is a job of its own where there are none.',
    example: [{ os: 'linux', coverage: true }],
    type: 'list of maps, or expression',
  },
  exclude: {
    meaning: 'Combinations that have these values are left out. Done before `include`.',
    example: [{ os: 'macos', node: 20 }],
    type: 'list of maps, or expression',
  },
} as const satisfies KeyReferences;
