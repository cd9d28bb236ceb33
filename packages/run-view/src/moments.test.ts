import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KEPT_MAX, Moments } from './moments.ts';
import { emptyRunView, reduceRunView } from './run-view.ts';
import { createRunLog } from './testing.ts';

const RUN = { empty: emptyRunView, next: reduceRunView };

/** A run with reports that replace results of each other. */
function manyEvents() {
  const log = createRunLog({ test: { 'runs-on': 'linux', steps: [] } });
  log.request('test');
  log.offer('test');
  const statuses = ['SUCCESS', 'FAILURE', 'SKIPPED'] as const;
  for (let round = 0; round < 300; round += 1) {
    log.attach('test', `s${round}`, `a${round}`);
    const name = `case ${round % 7}`;
    log.report('test', `a${round}`, [name, statuses[round % 3] ?? 'ERROR'], [`${round}`, 'ERROR']);
  }
  return log.events;
}

const EVENTS = manyEvents();
const countsAt = (seq: number) =>
  EVENTS.slice(0, seq).reduce(reduceRunView, emptyRunView).tests.tally.counts;

test('moments in any order are those of a fold from the beginning', () => {
  const asked = fc.array(fc.nat(EVENTS.length), { maxLength: 8 });
  fc.assert(
    fc.property(asked, (seqs) => {
      const moments = new Moments(RUN);
      moments.add(EVENTS);
      for (const seq of seqs) expect(moments.at(seq).tests.tally.counts).toEqual(countsAt(seq));
    }),
    { numRuns: 30 },
  );
});

test('an older moment stays as it is while later events come', () => {
  const moments = new Moments(RUN);
  moments.add(EVENTS.slice(0, 300));
  const old = moments.at();
  const counts = { ...old.tests.tally.counts };
  moments.add(EVENTS.slice(300));
  expect(moments.at().tests.tally.counts).toEqual(countsAt(EVENTS.length));
  expect(old.tests.tally.counts).toEqual(counts);
  const again = EVENTS.slice(300).reduce(reduceRunView, old);
  expect(again.tests.tally.counts).toEqual(countsAt(EVENTS.length));
});

test('a moment before the first event or behind the last one is the nearest', () => {
  const moments = new Moments(RUN);
  expect(moments.at()).toBe(emptyRunView);
  moments.add(EVENTS);
  expect(moments.at(-5)).toBe(emptyRunView);
  expect(moments.at(10 ** 9)).toEqual(moments.at(EVENTS.length));
});

test('each moment of a long run is a bounded number of events away from a kept state', () => {
  let folded = 0;
  const next = (sum: number, event: number) => {
    folded += 1;
    return sum + event;
  };
  const moments = new Moments({ empty: 0, next });
  const length = 200_000;
  moments.add(Array.from({ length }, () => 1));
  expect(moments.at()).toBe(length);
  for (const seq of [1, 99_999, 100_000, 123_456, 199_999, 3]) {
    folded = 0;
    expect(moments.at(seq)).toBe(seq);
    expect(folded).toBeLessThanOrEqual((2 * length) / KEPT_MAX);
  }
  folded = 0;
  expect(moments.at(4)).toBe(4);
  expect(folded).toBe(1);
});
