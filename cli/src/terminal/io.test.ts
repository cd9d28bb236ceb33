import { expect, test } from 'vitest';
import { createSignalFilter, wantsColors } from './io.ts';

test.each<[env: Record<string, string>, onTerminal: boolean, elsewhere: boolean]>([
  [{}, true, false],
  [{ TERM: 'dumb' }, false, false],
  [{ NO_COLOR: '1' }, false, false],
  [{ NO_COLOR: '' }, true, false],
  [{ FORCE_COLOR: '1' }, true, true],
  [{ FORCE_COLOR: '0' }, false, false],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, false],
  [{ OPENTF_COLORS: 'on', NO_COLOR: '1' }, true, true],
  [{ OPENTF_COLORS: 'no', FORCE_COLOR: '1' }, false, false],
  [{ OPENTF_COLORS: '' }, true, false],
])('with %j, colours on a terminal: %s, elsewhere: %s', (env, onTerminal, elsewhere) => {
  expect([wantsColors(env, true), wantsColors(env, false)]).toEqual([onTerminal, elsewhere]);
});

test.each<[what: string, atMs: readonly number[], counted: readonly number[]]>([
  ['one signal', [0], [0]],
  ['copies of wrappers, within milliseconds', [0, 2, 9], [0]],
  ['a copy as late as may be', [0, 99], [0]],
  ['a second signal', [0, 100], [0, 100]],
  ['a second signal that comes after copies', [0, 50, 99, 148], [0, 148]],
  ['a second signal with its own copies', [0, 5, 250, 255, 260], [0, 250]],
])('%s at %j ms counts at %j', (_, atMs, counted) => {
  let now = 0;
  const isNew = createSignalFilter(() => 1_000_000 + now);
  const taken = atMs.filter((ms) => {
    now = ms;
    return isNew();
  });
  expect(taken).toEqual(counted);
});
