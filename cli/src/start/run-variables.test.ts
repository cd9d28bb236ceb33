import { expect, test } from 'vitest';
import { variablesIn } from './run-variables.ts';

test('variables with the prefix go to the run, and our own prefix precedes', () => {
  const env = {
    PATH: '/bin',
    OPENTF_RUN_STAGE: 'old',
    TUTTI_RUN_STAGE: 'qa',
    OPENTF_RUN_TEAM: 'web',
    TUTTI_RUN_EMPTY: '',
    TUTTI_RUN_: 'no name',
    TUTTI_RUN_UNSET: undefined,
  };
  expect(variablesIn(env)).toEqual({ STAGE: 'qa', TEAM: 'web', EMPTY: '' });
});

test('a value of several lines is refused: it would set further variables', () => {
  expect(() => variablesIn({ TUTTI_RUN_KEY: 'a\nB=c' })).toThrow(
    'TUTTI_RUN_KEY becomes a variable of the workflow, and its value has several lines',
  );
});
