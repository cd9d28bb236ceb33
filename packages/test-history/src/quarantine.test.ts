import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  candidatesFor,
  gateCounts,
  isSpared,
  type QuarantineEntry,
  type QuarantineRequest,
  quarantineProblem,
  quarantinesAfter,
} from './quarantine.ts';
import { STATES } from './state.ts';

const DAY_MS = 86_400_000;
const flaky = { test: 't', variant: 'v', state: 'flaky', isMassFailure: false } as const;
const quarantined = (subject: string): QuarantineEntry => ({
  kind: 'quarantined',
  subject,
  fromMs: 0,
  untilMs: 14 * DAY_MS,
  mode: 'run',
});

test('a failure of a test or variant in quarantine is spared until it expires', () => {
  for (const subject of ['t', 'v']) {
    const quarantines = quarantinesAfter([quarantined(subject)]);
    expect(isSpared(flaky, quarantines, 14 * DAY_MS - 1)).toBe(true);
    expect(isSpared(flaky, quarantines, 14 * DAY_MS)).toBe(false);
  }
  expect(isSpared(flaky, quarantinesAfter([quarantined('other')]), 1)).toBe(false);
});

test.each(['released', 'recovered'] as const)('a quarantine ends when the test is %s', (kind) => {
  const quarantines = quarantinesAfter([quarantined('t'), { kind, subject: 't', atMs: 5 }]);
  expect(isSpared(flaky, quarantines, 6)).toBe(false);
});

test('no failure of a broken test is spared, nor one of a mass failure', () => {
  const quarantines = quarantinesAfter([quarantined('t')]);
  expect(isSpared({ ...flaky, state: 'broken' }, quarantines, 1)).toBe(false);
  expect(isSpared({ ...flaky, isMassFailure: true }, quarantines, 1)).toBe(false);
});

const request: QuarantineRequest = {
  reason: 'waits for the new driver',
  fromMs: 0,
  untilMs: 14 * DAY_MS,
  state: 'flaky',
  isForced: false,
  tests: 1_000,
  quarantined: 0,
};

test.each<readonly [string | null, Partial<QuarantineRequest>]>([
  [null, {}],
  ['no reason', { reason: ' ' }],
  ['no end', { untilMs: 0 }],
  ['too long', { untilMs: 60 * DAY_MS + 1 }],
  ['broken', { state: 'broken' }],
  [null, { state: 'broken', isForced: true }],
  [null, { quarantined: 19 }],
  ['share reached', { quarantined: 20 }],
  [null, { tests: 3 }],
])('the problem is %j with %j', (problem, change) => {
  expect(quarantineProblem({ ...request, ...change })).toBe(problem);
});

test('flaky tests that cost most are proposed, up to the share', () => {
  const tests = Array.from({ length: 100 }, (_, at) => ({
    test: `t${at}`,
    state: at < 5 ? ('flaky' as const) : ('stable' as const),
    isQuarantined: false,
    impactRuns: at,
  }));
  expect(candidatesFor(tests)).toEqual(['t4', 't3']);
  const others = tests.map((each) => ({ ...each, isQuarantined: each.test === 't9' }));
  expect(candidatesFor(others)).toEqual(['t4']);
  const broken = tests.map((each) => ({ ...each, state: 'broken' as const }));
  expect(candidatesFor(broken)).toEqual([]);
});

test('gates count spared failures only on request', () => {
  const failures = [{ isSpared: true }, { isSpared: false }, { isSpared: true }];
  expect(gateCounts(failures, 'respect')).toEqual({ failed: 1, quarantined: 2 });
  expect(gateCounts(failures, 'count')).toEqual({ failed: 3, quarantined: 0 });
});

/** One day each. */
const step = fc.oneof(
  fc.record({ does: fc.constant('quarantine' as const), days: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ does: fc.constantFrom('release' as const, 'recover' as const, 'wait' as const) }),
  fc.record({ does: fc.constant('state' as const), state: fc.constantFrom(...STATES) }),
  fc.record({
    does: fc.constant('gate' as const),
    setting: fc.constantFrom('respect' as const, 'count' as const),
    isMassFailure: fc.boolean(),
  }),
);

test('1 000 random sequences of states, expiry, releases and gates are those of a plain model', () => {
  let spared = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 30, maxLength: 60 }), (steps) => {
      const journal: QuarantineEntry[] = [];
      let state: (typeof STATES)[number] = 'flaky';
      // The plain model counts the days that are left.
      let daysLeft = 0;
      steps.forEach((each, day) => {
        const atMs = day * DAY_MS;
        daysLeft = Math.max(daysLeft - 1, 0);
        if (each.does === 'state') state = each.state;
        if (each.does === 'quarantine') {
          const untilMs = atMs + each.days * DAY_MS;
          journal.push({ kind: 'quarantined', subject: 't', fromMs: atMs, untilMs, mode: 'run' });
          daysLeft = each.days;
        }
        if (each.does === 'release' || each.does === 'recover') {
          const kind = each.does === 'release' ? 'released' : 'recovered';
          journal.push({ kind, subject: 't', atMs });
          daysLeft = 0;
        }
        if (each.does !== 'gate') return;
        const failure = { test: 't', variant: 'v', state, isMassFailure: each.isMassFailure };
        const isNow = isSpared(failure, quarantinesAfter(journal), atMs);
        const counts = gateCounts([{ isSpared: isNow }], each.setting);
        const isExpected = daysLeft > 0 && state !== 'broken' && !each.isMassFailure;
        expect(isNow).toBe(isExpected);
        expect(counts.failed).toBe(isExpected && each.setting === 'respect' ? 0 : 1);
        if (isNow) spared++;
      });
    }),
    { numRuns: 1_000 },
  );
  expect(spared).toBeGreaterThan(100);
});
