import { expect, test } from 'vitest';
import { wantsColors } from './io.ts';

test.each<[env: Record<string, string>, onTerminal: boolean, elsewhere: boolean]>([
  [{}, true, false],
  [{ TERM: 'dumb' }, false, false],
  [{ NO_COLOR: '1' }, false, false],
  [{ NO_COLOR: '' }, true, false],
  [{ FORCE_COLOR: '1' }, true, true],
  [{ FORCE_COLOR: '0' }, false, false],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, false],
])('with %j, colors on a terminal: %s, elsewhere: %s', (env, onTerminal, elsewhere) => {
  expect([wantsColors(env, true), wantsColors(env, false)]).toEqual([onTerminal, elsewhere]);
});
