/** Waiting for test results, and judging within a time (specification 4.10, part 8). */
import { parseWorkflowId, type WorkflowId } from '@tutti/manifests';
import { insightWorkerId, type TestOutcome } from '@tutti/workflow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestClock, NOW_MS } from '../../auth/testing.ts';
import type { Store } from '../../store/store.ts';
import { awaitWorkers, judgeRuns, TurnQueue } from './judge-run.ts';
import {
  appendRow,
  definition,
  type GateFixture,
  openGateFixture,
  rowOf,
  TestFeed,
  UNKNOWN,
} from './testing.ts';

let fixture: GateFixture;
beforeAll(async () => {
  fixture = await openGateFixture();
});
afterAll(() => fixture.close());

describe('while test results are read', () => {
  const reading = { workers: ['interpreter'], live: true } as const;

  // HTTP 4.10: 202 while test cases are awaited longer than the timeout.
  // HTTP 8: A quality gate waits for 8 seconds.
  test('the answer is 202 once the timeout is over', async () => {
    const id = await fixture.addRun(['success'], reading);
    const answers = [
      await fixture.get(id, '?timeout=0'),
      await fixture.post(id, definition('[{rule: {threshold: 0%}}]'), {
        query: '?mode=mine&timeout=0',
      }),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({
        code: 202,
        reason: 'Accepted',
        status: 'Success',
        message: 'The test results of the workflow are not complete yet.',
        details: {},
      });
    }
  });

  const patience = { deadlineMs: NOW_MS + 3_600_000, isWanted: () => true, mayWait: () => true };

  test('the answer waits for the last worker', async () => {
    const id = await fixture.addRun(['success'], reading);
    const feed = new TestFeed();
    const waiting = awaitWorkers({ ...fixture, feed }, id, patience);
    await feed.whenWatched;
    feed.wake();
    await appendRow(fixture.store, rowOf(id), { expectedSeq: 1 });
    feed.wake();
    expect(await waiting).toBe(true);
    expect(feed.watchers).toBe(0);
  });

  test('the answer waits for nobody who makes reports', async () => {
    const workers = [insightWorkerId('a'), insightWorkerId('b')];
    const id = await fixture.addRun(['success'], { workers, live: true });
    expect(await awaitWorkers({ ...fixture, feed: new TestFeed() }, id, patience)).toBe(true);
  });

  test('a server that ends answers at once', async () => {
    const id = await fixture.addRun(['success'], reading);
    const feed = new TestFeed();
    const waiting = awaitWorkers({ ...fixture, feed }, id, patience);
    await feed.whenWatched;
    feed.isClosed = true;
    feed.wake();
    expect(await waiting).toBe(false);
  });

  test('a workflow that is forgotten meanwhile is NotFound', async () => {
    const waiting = awaitWorkers(
      { ...fixture, feed: new TestFeed() },
      parseWorkflowId(UNKNOWN),
      patience,
    );
    await expect(waiting).rejects.toThrow(`Workflow ${UNKNOWN} not found.`);
  });
});

describe('a judgement', () => {
  const gate = {
    name: 'slow',
    rules: [
      {
        name: 'rule',
        scope: "test.job == 'job-0'",
        conditions: ["test.job == 'job-0'"],
        threshold: '0%',
        failedMax: null,
        casesMax: null,
        failureStatus: ['failure'],
      },
    ],
  };

  test('goes over more test cases than are read at a time', async () => {
    const id = await fixture.addRun(new Array<TestOutcome>(1_234).fill('success'));
    const patience = { deadlineMs: NOW_MS + 1_000, isWanted: () => true, mayWait: () => true };
    const results = await judgeRuns(
      {
        ...fixture,
        feed: new TestFeed(),
        turns: new TurnQueue(),
        patience,
        countsQuarantine: false,
      },
      [{ workflowId: id, jobIds: null }],
      gate,
    );
    expect(results?.rules.get('rule')).toMatchObject({ tests_in_scope: 617, tests_passed: 617 });
  });

  test('of what is read at a time needs no patience', async () => {
    const id = await fixture.addRun(new Array<TestOutcome>(500).fill('success'));
    const turns = new TurnQueue();
    const deps = { ...fixture, feed: new TestFeed(), turns };
    const patience = { deadlineMs: NOW_MS, isWanted: () => true, mayWait: () => false };
    const results = await judgeRuns(
      { ...deps, patience, countsQuarantine: false },
      [{ workflowId: id, jobIds: null }],
      gate,
    );
    expect(results).not.toBeNull();
  });

  test('that takes too long, or that nobody waits for any more, is given up', async () => {
    const id = await fixture.addRun(['success', 'success']);
    const slow = createTestClock();
    const passing = {
      monotonicMs: () => {
        slow.advance(60);
        return slow.monotonicMs();
      },
    };
    const deps = {
      store: fixture.store,
      clock: passing,
      feed: new TestFeed(),
      turns: new TurnQueue(),
    };
    const late = { deadlineMs: NOW_MS + 100, isWanted: () => true, mayWait: () => true };
    expect(
      await judgeRuns(
        { ...deps, patience: late, countsQuarantine: false },
        [{ workflowId: id, jobIds: null }],
        gate,
      ),
    ).toBeNull();
    const unwanted = {
      deadlineMs: Number.POSITIVE_INFINITY,
      isWanted: () => false,
      mayWait: () => true,
    };
    expect(
      await judgeRuns(
        { ...deps, patience: unwanted, countsQuarantine: false },
        [{ workflowId: id, jobIds: null }],
        gate,
      ),
    ).toBeNull();
  });

  test('that takes long is given up when the server ends', async () => {
    const id = await fixture.addRun(new Array<TestOutcome>(1_234).fill('success'));
    const feed = new TestFeed();
    feed.isClosed = true;
    const patience = {
      deadlineMs: Number.POSITIVE_INFINITY,
      isWanted: () => true,
      mayWait: () => true,
    };
    const deps = { ...fixture, feed, turns: new TurnQueue() };
    expect(
      await judgeRuns(
        { ...deps, patience, countsQuarantine: false },
        [{ workflowId: id, jobIds: null }],
        gate,
      ),
    ).toBeNull();
  });

  test('takes turns with others', async () => {
    const outcomes = new Array<TestOutcome>(1_234).fill('success');
    const ids = [await fixture.addRun(outcomes), await fixture.addRun(outcomes)];
    const read: WorkflowId[] = [];
    const testCaseManifests: Store['testCaseManifests'] = (id, offset, limit) => {
      read.push(id);
      return fixture.store.testCaseManifests(id, offset, limit);
    };
    const { workflow, testCases, testCaseSummary } = fixture.store;
    const store = { workflow, testCases, testCaseSummary, testCaseManifests };
    const deps = { store, clock: fixture.clock, feed: new TestFeed(), turns: new TurnQueue() };
    const patience = { deadlineMs: NOW_MS + 1_000, isWanted: () => true, mayWait: () => true };
    await Promise.all(
      ids.map((id) =>
        judgeRuns(
          { ...deps, patience, countsQuarantine: false },
          [{ workflowId: id, jobIds: null }],
          gate,
        ),
      ),
    );
    // The last of them finds that nothing follows.
    expect(read).toEqual([...ids, ...ids, ...ids, ...ids]);
  });
});
