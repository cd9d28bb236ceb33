/** Quarantine in a real store against a plain model: 1 000 random sequences of states, expiry, releases and gates. */
import { isQuarantined, type TestState } from '@tutti/test-history';
import { expect, test } from 'vitest';
import { openStoreFolder } from '../../bus/testing.ts';
import { timestamp, workflowId } from '../../store/conformance/samples.ts';
import type { Store } from '../../store/store.ts';
import { type JournalRow, TEST_STATES } from '../../store/test-history.ts';

const DAY_MS = 86_400_000;
const SEQUENCES = 1_000;
const STEPS = 50;
const RUN = workflowId(1);

/** Numbers from 0 to 1, always the same ones. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const uuid = (kind: number, number: number): string =>
  `0000000${kind}-0000-5000-8000-${String(number).padStart(12, '0')}`;

/** The model of a test counts the days that are left. */
class Model {
  state: TestState = 'flaky';
  #daysLeft = { test: 0, variant: 0 };

  pass(): void {
    const { test: ofTest, variant } = this.#daysLeft;
    this.#daysLeft = { test: Math.max(ofTest - 1, 0), variant: Math.max(variant - 1, 0) };
  }

  set(subject: 'test' | 'variant', days: number): void {
    this.#daysLeft[subject] = days;
  }

  get isSpared(): boolean {
    if (this.state === 'broken') return false;
    return this.#daysLeft.test > 0 || this.#daysLeft.variant > 0;
  }
}

const ledgerOf = (state: TestState) => ({
  ...{ state, flakeRate: 0.1, failures: 1, executions: 9 },
  ...{ durationMs: 1, lastFailedMs: null, bytes: Uint8Array.of(1) },
});

const folded = (number: number, state: TestState) => ({
  test: {
    ...{ id: uuid(8, number), namespace: 'default', project: 'shop', technology: 'junit' },
    ...{ suite: 'cart', name: String(number) },
  },
  variant: { id: uuid(9, number), job: 'unit', function: '' },
  executions: [],
  ledger: ledgerOf(state),
});

async function sparedIn(store: Store, nowMs: number): Promise<ReadonlySet<string>> {
  const ids = Array.from({ length: SEQUENCES }, (_, number) => uuid(9, number));
  const figures = await store.variantFigures(ids);
  return new Set(figures.filter((each) => isQuarantined(each, nowMs)).map(({ id }) => id));
}

test('1 000 sequences are those of the model, and no broken test is ever spared', async () => {
  const store = await (await openStoreFolder()).open();
  const facts = { namespace: 'default', project: 'shop', name: 'nightly', version: null };
  const begin = { ...facts, workflowId: RUN, branch: null, isMain: true, createdAt: timestamp(1) };
  await store.write({ testHistory: { begin: { ...begin, places: [], massJobs: [] } } });
  const run = (await store.begunRun(RUN))?.run ?? 0;
  const models = Array.from({ length: SEQUENCES }, () => new Model());
  const random = randomNumbers(27);
  const oneOf = <Item>(items: readonly [Item, ...Item[]]): Item =>
    items[Math.floor(random() * items.length)] ?? items[0];
  let [spared, brokenInQuarantine] = [0, 0];
  const variants = models.map((model, number) => folded(number, model.state));
  await store.write({ testHistory: { part: { run, variants, journal: [] } } });
  for (let day = 1; day <= STEPS; day++) {
    const nowMs = day * DAY_MS;
    const changed: ReturnType<typeof folded>[] = [];
    const journal: JournalRow[] = [];
    for (const [number, model] of models.entries()) {
      model.pass();
      const subject = oneOf<'test' | 'variant'>(['test', 'variant']);
      const variantId = subject === 'test' ? null : uuid(9, number);
      const entry = { atMs: nowMs, testId: uuid(8, number), variantId, json: '{}' };
      const does = oneOf(['state', 'quarantine', 'release', 'recover', 'wait', 'wait']);
      if (does === 'state') {
        model.state = oneOf<TestState>([...TEST_STATES] as [TestState, ...TestState[]]);
        changed.push(folded(number, model.state));
      } else if (does === 'quarantine') {
        const days = 1 + Math.floor(random() * 20);
        model.set(subject, days);
        journal.push({ ...entry, kind: 'quarantined', untilMs: nowMs + days * DAY_MS });
      } else if (does !== 'wait') {
        model.set(subject, 0);
        journal.push({ ...entry, kind: `${does}d`, untilMs: null });
      }
    }
    await store.write({ testHistory: { part: { run, variants: changed, journal: [] }, journal } });
    const found = await sparedIn(store, nowMs);
    const expected = models.flatMap(({ isSpared }, number) => (isSpared ? [uuid(9, number)] : []));
    expect([...found].toSorted()).toEqual(expected);
    spared += found.size;
    for (const [number, { state }] of models.entries()) {
      if (state !== 'broken') continue;
      expect(found.has(uuid(9, number))).toBe(false);
      brokenInQuarantine += 1;
    }
  }
  expect(spared).toBeGreaterThan(SEQUENCES);
  expect(brokenInQuarantine).toBeGreaterThan(SEQUENCES);
}, 120_000);
