import { expect, test } from 'vitest';
import { variablesIn } from './run-variables.ts';

test('what has the prefix is a variable of the run, and our own prefix counts more', () => {
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

test('a value of several lines is refused: it would set what stands behind it, too', () => {
  expect(() => variablesIn({ TUTTI_RUN_KEY: 'a\nB=c' })).toThrow(
    'TUTTI_RUN_KEY becomes a variable of the workflow, and its value has several lines',
  );
});
