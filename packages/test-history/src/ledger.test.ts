import fc from 'fast-check';
import { expect, test } from 'vitest';
import { percentilesOf } from './durations.ts';
import type { Execution, Outcome } from './execution.ts';
import { Ledger } from './ledger.ts';
import { failureRate, windowOf } from './rates.ts';

const HOUR_MS = 3_600_000;
const OUTCOMES = new Map<string, Outcome>([
  ['P', 'success'],
  ['F', 'failure'],
  ['E', 'error'],
  ['-', 'skipped'],
]);

/** One run an hour. Runs are between blanks; each letter is an attempt. A run with `=` before it has the version of the run before. */
function executionsOf(history: string, firstRun = 1): readonly Execution[] {
  let version = firstRun;
  return history.split(' ').flatMap((text, at) => {
    const run = firstRun + at;
    if (!text.startsWith('=')) version = run;
    return [...text.replace('=', '')].map((letter, index) => ({
      run,
      version,
      attempt: index + 1,
      outcome: OUTCOMES.get(letter) ?? 'skipped',
      atMs: run * HOUR_MS,
      durationMs: 100 + run,
    }));
  });
}

function fold(history: string, ledger = new Ledger(), firstRun = 1): Ledger {
  for (const execution of executionsOf(history, firstRun)) ledger.fold(execution);
  return ledger;
}

const passes = (count: number) => Array.from({ length: count }, () => 'P').join(' ');
const flaky = `${passes(20)} FP ${passes(10)} FP`;

test('the states of the reference histories', () => {
  const states = [
    'P P P P',
    passes(50),
    `${passes(20)} FP`,
    flaky,
    `${passes(50)} FF FF FF`,
    `${passes(50)} FF FF FF FF ${passes(20)}`,
  ];
  expect(states.map((history) => fold(history).state)).toEqual([
    'new',
    'stable',
    'unsure',
    'flaky',
    'broken',
    'stable',
  ]);
});

test('a broken variant names the first failed version of its failures', () => {
  const { brokenSince, since } = fold(`${passes(50)} FF FF =EE`).judgement;
  expect(brokenSince).toEqual({ run: 51, version: 51, atMs: 51 * HOUR_MS });
  expect(since?.run).toBe(51);
  expect(fold(passes(50)).judgement.brokenSince).toBeNull();
});

test('skipped executions change nothing', () => {
  expect(fold(`${passes(8)} - P`).totals).toEqual({ executions: 9, failures: 0 });
  const [with_, without] = [fold('P P -'), fold('P P')].map((ledger) => ledger.write());
  expect(with_).toEqual(without);
});

test('an error counts as a failure', () => {
  expect(fold(`${passes(50)} E`).letters.at(-1)).toBe('F');
});

test('a contradiction names its version and both runs', () => {
  expect(fold('P FP =P P').judgement.contradictions).toEqual([
    { version: 2, runs: [2, 2], atMs: 2 * HOUR_MS },
  ]);
  expect(fold('P =F').judgement.contradictions).toMatchObject([{ version: 1, runs: [1, 2] }]);
});

test('the same version contradicts itself once', () => {
  expect(fold('FPFPF =P =F').judgement.contradictions).toHaveLength(1);
});

test('a version that comes back after another one may contradict itself', () => {
  const ledger = fold('P P');
  ledger.fold({ run: 3, version: 1, attempt: 1, outcome: 'failure', atMs: 0, durationMs: 1 });
  expect(ledger.judgement.contradictions).toMatchObject([{ version: 1, runs: [1, 3] }]);
});

test('one contradiction makes a variant unsure for 14 days', () => {
  const ledger = fold(`${passes(200)} FP`);
  expect(ledger.state).toBe('unsure');
  fold(passes(14 * 24), ledger, 202);
  expect(ledger.state).toBe('unsure');
  fold('P P', ledger, 202 + 14 * 24);
  expect(ledger.state).toBe('stable');
});

test('a flaky variant stays flaky until it recovers, and then forgets', () => {
  const ledger = fold(flaky);
  let run = 33;
  while (ledger.state === 'flaky') {
    const { passesInRow, passesToRecover } = ledger.judgement;
    expect(passesInRow).toBeLessThan(passesToRecover);
    fold('P', ledger, run++);
  }
  expect(ledger.state).toBe('stable');
  expect(ledger.judgement.flaky).toBeLessThan(0.1);
  expect(ledger.judgement.contradictions).toHaveLength(2);
});

test('a recovered variant is flaky again at its first contradiction', () => {
  const ledger = fold(flaky);
  let run = 33;
  while (ledger.state === 'flaky') fold('P', ledger, run++);
  fold('P FP', ledger, run);
  expect(ledger.state).toBe('flaky');
});

test('a flaky variant that breaks is broken, and flaky again when it is fixed', () => {
  const ledger = fold(`${flaky} FF FF`);
  expect(ledger.state).toBe('broken');
  expect(fold('P', ledger, 35).state).toBe('flaky');
});

test('a regression that begins within a version looks flaky at first, and is taken back', () => {
  const ledger = fold(`${passes(100)} =FF =FF`);
  const states = new Set<string>();
  for (let run = 103; run < 106; run++) states.add(fold('FF', ledger, run).state);
  fold(passes(5), ledger, 106);
  expect(states).toEqual(new Set(['broken']));
  expect(ledger.state).toBe('unsure');
});

test('a mass failure leaves the model alone, and makes the failures of the next run old ones', () => {
  const [ledger, other] = [fold(passes(10)), fold(passes(10))];
  for (const execution of executionsOf('FF', 11)) ledger.noteRun(execution);
  expect(ledger.hasFailedInLastRun).toBe(true);
  expect(ledger.judgement).toEqual(other.judgement);
  fold('P', ledger, 12);
  expect(ledger.hasFailedInLastRun).toBe(false);
});

test('durations are those of passed first attempts, to a part in a thousand', () => {
  const { durations } = fold('P FP P');
  expect(durations).toHaveLength(2);
  expect(durations[1]).toBeGreaterThan(103 * 0.999);
  expect(durations[1]).toBeLessThan(103 * 1.001);
});

test('executions for rates have their days and versions', () => {
  const counted = fold('P =FP P').counted;
  expect(counted.map(({ version }) => version - (counted[0]?.version ?? 0))).toEqual([0, 0, 0, 1]);
  expect(counted.map(({ isFirst }) => isFirst)).toEqual([true, true, false, true]);
  const days = fold(passes(49)).counted.map(({ atMs }) => atMs / 86_400_000);
  expect([days[0], days.at(-1)]).toEqual([0, 2]);
});

test('figures are those of the lists that rates and percentiles are of', () => {
  const ledger = fold(`${passes(70)} FP ${passes(20)} FF ${flaky}`);
  const nowMs = ledger.counted.at(-1)?.atMs ?? 0;
  const rate = failureRate(windowOf(ledger.counted, nowMs));
  expect(ledger.figuresAt(nowMs)).toEqual({
    state: ledger.state,
    flakeRate: ledger.judgement.flakeRate,
    failures: rate?.count,
    executions: rate?.of,
    durationMs: percentilesOf(ledger.durations)?.p50,
  });
  expect(new Ledger().figuresAt(0)).toMatchObject({ executions: 0, durationMs: null });
});

const runs = fc.array(
  fc.tuple(
    fc.constantFrom('', '='),
    fc.string({ unit: fc.constantFrom('P', 'P', 'P', 'F', 'E', '-'), minLength: 1, maxLength: 3 }),
  ),
  { minLength: 1, maxLength: 300 },
);
function readLedger(bytes: Uint8Array): Ledger {
  const ledger = Ledger.read(bytes);
  if (ledger === null) throw new Error('The ledger has another format.');
  return ledger;
}

const historyOf = (parts: readonly (readonly [string, string])[]) =>
  parts.map((part) => part.join('')).join(' ');

test('folding one execution at a time, with a round trip after each, makes the bytes of a rebuild', () => {
  fc.assert(
    fc.property(runs, (parts) => {
      let stored = new Ledger().write();
      const rebuilt = new Ledger();
      for (const execution of executionsOf(historyOf(parts))) {
        const ledger = readLedger(stored);
        ledger.fold(execution);
        stored = ledger.write();
        rebuilt.fold(execution);
      }
      expect(stored).toEqual(rebuilt.write());
      expect(readLedger(stored).judgement).toEqual(rebuilt.judgement);
    }),
    { numRuns: 30 },
  );
});

test('a ledger has half a kibibyte, after any number of executions', () => {
  const run = 1e6;
  const stable = fold(passes(500), new Ledger(), run).write().length;
  const worst = fold(Array.from({ length: 500 }, () => 'FP').join(' '), new Ledger(), run);
  expect(stable).toBeLessThanOrEqual(580);
  expect(worst.write().length).toBeLessThanOrEqual(900);
});

test('bytes of another format are no ledger', () => {
  expect(Ledger.read(Uint8Array.of(9))).toBeNull();
});
