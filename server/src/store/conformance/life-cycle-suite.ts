/** Closing, opening again, and being killed. */
import { describe, expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { type Confirmed, killWhileAppending } from './killed-process.ts';
import { append, attachmentId, jobId, subscriptionId, timestamp, workflowId } from './samples.ts';
import type { StoreTarget, StoreTest } from './store-target.ts';

const RUN = workflowId(1);

/** Confirmed appends before each kill: at once, soon, and after the log was folded into the database. */
const KILL_AFTER = [1, 17, 150, 900];

export function describeLifeCycle(storeTest: StoreTest, target: StoreTarget): void {
  describe('life cycle', () => {
    storeTest('written data is there after opening again', async ({ store, reopen }) => {
      await store.append(append(RUN, 0, { count: 3, projection: { logText: 'line\n' } }));
      const again = await reopen();
      expect((await again.events(RUN, 1, 10))?.items).toHaveLength(3);
      expect(await again.append(append(RUN, 3))).toEqual({ outcome: 'appended', seq: 4 });
    });

    storeTest('closing waits for what is under way', async ({ store, reopen }) => {
      const appends = Array.from({ length: 50 }, (_, seq) => store.append(append(RUN, seq)));
      const again = await reopen();
      const outcomes = (await Promise.all(appends)).map((result) => result.outcome);
      expect(new Set(outcomes)).toEqual(new Set(['appended']));
      expect((await again.events(RUN, 1, 100))?.total).toBe(50);
    });

    storeTest(
      'a closed store may be closed again and rejects everything else',
      async ({ store }) => {
        await store.close();
        await store.close();
        const outcomes = await Promise.allSettled(everyCall(store));
        expect(outcomes.filter((outcome) => outcome.status !== 'rejected')).toEqual([]);
      },
    );

    test('everything confirmed before kill -9 is there, whole', async () => {
      const place = await target.createPlace();
      try {
        for (const [round, killAfter] of KILL_AFTER.entries()) {
          const confirmed = await killWhileAppending(target, place, round, killAfter);
          expect(confirmed.size).toBeGreaterThan(0);
          await expectConfirmed(target, place, confirmed);
        }
      } finally {
        await target.removePlace(place);
      }
    });
  });
}

function everyCall(store: Store): readonly Promise<unknown>[] {
  return [
    store.append(append(RUN, 0)),
    store.write({}),
    store.workflow(RUN),
    store.workflows(),
    store.endBefore({ at: timestamp(1), place: 1 }, 1),
    store.endedWorkflowIds({ at: timestamp(1), place: 1 }, 1),
    store.liveEvents(null),
    store.liveLengths(),
    store.foldingEvents(RUN, 1),
    store.events(RUN, 1, 1),
    store.history(RUN, 1, 1),
    store.log(RUN, 0, 1),
    store.attachment(RUN, attachmentId(1)),
    store.jobs(RUN),
    store.testCases(RUN, 0, 1),
    store.testCaseManifests(RUN, 0, 1),
    store.testCaseSummary(RUN),
    store.earlierExecutions(RUN, [0]),
    store.documents(jobId(1)),
    store.document('a', jobId(1)),
    store.outbox(subscriptionId(1), 1),
    store.outboxSurplus(subscriptionId(1), 0, 1),
    store.outboxSubscriptions(),
    store.outboxBody(1),
    store.outboxBytes(1),
    store.outboxSizes(),
    store.forget([RUN]),
    store.forgetExecutions(timestamp(1)),
  ];
}

async function expectConfirmed(
  target: StoreTarget,
  place: string,
  confirmed: ReadonlyMap<string, Confirmed>,
): Promise<void> {
  const store = await target.open(place);
  try {
    const documents = new Map(
      (await store.documents('lengths')).map(({ key, json }) => [key, Number(json)]),
    );
    for (const { id, seq } of confirmed.values()) {
      const page = await store.events(id, 1, 100_000);
      const total = page?.total ?? 0;
      expect(total).toBeGreaterThanOrEqual(seq);
      // Unconfirmed appends that were stored were stored whole.
      expect(page?.items).toHaveLength(total);
      expect(documents.get(id)).toBe(total);
      expect((await store.log(id, 0, 0))?.total).toBe(total * 'line\n'.length);
    }
  } finally {
    await store.close();
  }
  await target.check(place);
}
