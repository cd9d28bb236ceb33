import { expect, test } from 'vitest';
import { pauseLines } from './program/pauses.ts';

test('pauses are shown beside the goal of their kind', () => {
  const handOvers = [900, 120, 300].map((ms) => ({ kind: 'hand-over', ms }) as const);
  expect(pauseLines([...handOvers, { kind: 'takeover', ms: 3_500 }])).toEqual([
    'hand-over: median 300 ms, longest 900 ms; 2 of 3 within 500 ms: NOT KEPT',
    'takeover: median 3500 ms, longest 3500 ms; 1 of 1 within 3500 ms: kept',
    'return of the database: none',
  ]);
});
