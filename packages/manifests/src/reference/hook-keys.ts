import type { KeyReferences } from './key-reference.ts';
import { stepKeys } from './step-keys.ts';

export const hookKeys = {
  name: {
    meaning: 'Shown in the log as it is written. Several hooks may have the same.',
    example: 'clean caches',
  },
  if: {
    meaning:
      'What each step of the hook needs beside its own condition, looked at when the step is to run. It asks for nothing but what it says, so not for `success()` either.',
    example: "runner.os == 'linux'",
    type: '[condition](#conditions)',
    default: 'always()',
  },
  events: {
    meaning: 'What the hook is for. It runs once where several of them fit.',
    example: [{ channel: 'teardown' }],
  },
  before: {
    meaning: 'Steps that run before it: 1 to 32. A hook has these, or those after it, or both.',
    example: [{ run: 'df -h .' }],
  },
  after: {
    meaning: 'Steps that run after it: 1 to 32.',
    example: [{ run: 'rm -rf ~/.cache/shop' }],
  },
} as const satisfies KeyReferences;

export const hookEventKeys = {
  channel: {
    meaning: 'The begin or the end of each job on its environment. Other texts fit nothing.',
    example: 'setup',
  },
  category: {
    meaning: 'Calls of functions with this name: `checkout` of `actions/checkout@v3`.',
    example: 'checkout',
    otherwise: 'any',
  },
  categoryPrefix: {
    meaning: 'Calls of functions with this prefix.',
    example: 'actions',
    otherwise: 'any',
  },
  categoryVersion: {
    meaning: 'Calls of functions with this version, to the letter.',
    example: 'v3',
    otherwise: 'any',
  },
} as const satisfies KeyReferences;

const {
  'tests.retry.times': _times,
  'tests.retry.at-most': _atMost,
  'tests.retry.delay-seconds': _delay,
  'tests.quarantine': _quarantine,
  'tests.fail-on-flaked': _flaked,
  ...functionStepKeys
} = stepKeys;

export const hookStepKeys = {
  ...functionStepKeys,
  if: {
    meaning: 'Whether the step runs.',
    example: 'failure()',
    type: '[condition](#conditions)',
    otherwise: '`success()`; `always()` on `channel: teardown`',
  },
  'use-workspace': {
    meaning:
      'The directory that the job works in, in the place of a fresh one. Relative to where the agent runs its commands; the shell expands nothing in it, but for `%NAME%` on Windows.',
    example: '/srv/shop',
  },
  'keep-workspace': {
    meaning: 'Whether the workspace stays when the job is over.',
    example: true,
    default: false,
  },
} as const satisfies KeyReferences;
