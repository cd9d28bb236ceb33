/** Databases that earlier versions wrote. */
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  append,
  jobId,
  storedTestCase,
  subscriptionId,
  testCase,
  testCaseKey,
  timestamp,
  workflowId,
  workflowRow,
} from '../conformance/samples.ts';
import { logPartOf } from '../log-part.ts';
import { RUN_MASKS } from '../store.ts';
import { databaseFile, storeTarget } from './conformance-target.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS } from './migrations.ts';
import { rowId } from './row-ids.ts';

const [OVER, LIVE] = [workflowId(1), workflowId(2)];

/** The index of test cases as it was up to the ninth version. */
const KEYS_IN_ONE_TREE = `
  ALTER TABLE test_case_keys RENAME TO keys_in_parts;
  CREATE TABLE test_case_keys (
    run INTEGER NOT NULL,
    key BLOB NOT NULL,
    test_case INTEGER NOT NULL,
    PRIMARY KEY (run, key)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO test_case_keys SELECT run, key, test_case FROM keys_in_parts;
  DROP TABLE keys_in_parts;
  DROP TABLE unmerged_runs;
`;

/** Back to the tenth version. */
const NO_SUMMARIES = `
  DROP TABLE run_summaries;
  DROP INDEX workflows_by_name;
  ALTER TABLE workflows DROP COLUMN duration_ms;
  ALTER TABLE workflows DROP COLUMN failures;
`;

/** Back to the twelfth version. */
const WITHOUT_HISTORY = `
  DROP INDEX unfolded_workflows;
  ALTER TABLE workflows DROP COLUMN unfolded;
  DROP TABLE tested_runs;
  DROP TABLE tests;
  DROP TABLE test_variants;
  DROP TABLE test_ledgers;
  DROP TABLE executions;
  DROP TABLE test_journal;
  DROP TABLE causes;
  DROP TABLE cause_keys;
  DROP TABLE cause_variants;
  DROP TABLE cause_runs;
`;

/** Logs as they were up to the eleventh version. */
const WITHOUT_MARKS = `
  ${WITHOUT_HISTORY}
  DROP TABLE log_marks;
  ALTER TABLE workflows DROP COLUMN log_lines;
`;

let place = '';
beforeEach(async () => {
  place = await storeTarget.createPlace();
});
afterEach(() => storeTarget.removePlace(place));

/** Two runs, of which the second goes on; each has test case `a`, which failed first, and `b`. */
function writeFirstVersion(): void {
  const db = new DatabaseSync(databaseFile(place));
  db.exec('PRAGMA journal_mode = WAL');
  migrate(db, MIGRATIONS.slice(0, 1));
  const addCase = db.prepare(
    `INSERT INTO test_cases (id, run, key, job_id, outcome, json, executions)
     VALUES (?, ?, ?, ?, 'success', ?, ?)`,
  );
  const addHistory = db.prepare(
    'INSERT INTO test_case_history (test_case, execution, json) VALUES (?, 1, ?)',
  );
  for (const [index, id] of [OVER, LIVE].entries()) {
    const run = index + 1;
    db.exec(`
      INSERT INTO workflows (workflow_id, name, namespace, status, live, workers, created_at, events, log_bytes, test_cases)
      VALUES ('${id}', 'nightly', 'default', 'RUNNING', ${index}, '[]', '${timestamp(run)}', 1, 0, 2);
      INSERT INTO events (id, kind, json) VALUES (${rowId(run, 1)}, 'Workflow', '{}');
      INSERT INTO test_case_counts (run, job_id, outcome, count) VALUES (${run}, '${jobId(1)}', 'success', 2);
      INSERT INTO test_identities (identity, attempts) VALUES ('${id}', 1);
      INSERT INTO test_attempts (test, at, attempt, outcome, duration_ms)
      VALUES (${run}, '${timestamp(1)}', 1, 'success', 1.5);
    `);
    addCase.run(rowId(run, 0), run, 'job/junit/cart/a', jobId(1), testCase('a').json, 2);
    addCase.run(rowId(run, 1), run, 'job/junit/cart/b', jobId(1), testCase('b').json, 1);
    addHistory.run(rowId(run, 0), testCase('earlier').json);
  }
  db.close();
}

const OLD_ITEMS = [
  storedTestCase(testCase('a'), 0, [testCase('earlier').json]),
  storedTestCase(testCase('b'), 1),
];

test('a database of the first version shows its runs and test cases, and is not damaged', async () => {
  writeFirstVersion();
  const store = await storeTarget.open(place);
  expect((await store.workflows()).map((row) => row.workflowId)).toEqual([OVER, LIVE]);
  for (const id of [OVER, LIVE]) {
    expect(await store.testCases(id, 0, 10)).toEqual({ items: OLD_ITEMS, total: 2 });
    expect(await store.testCaseSummary(id)).toEqual([
      { jobId: jobId(1), outcome: 'success', count: 2 },
    ]);
  }
  await store.close();
  await storeTarget.check(place);
});

test('a run of the first version goes on', async () => {
  writeFirstVersion();
  const store = await storeTarget.open(place);
  const testCases = [testCase('c', { outcome: 'failure' }), testCase('c')];
  const testErrors = ['b', 'c'].map((name) => ({
    key: testCaseKey(name),
    attachmentId: jobId(1) as never,
    json: '[]',
  }));
  await store.append(append(LIVE, 1, { projection: { testCases, testErrors } }));
  const { items, total } = await store.testCases(LIVE, 0, 10);
  expect(total).toBe(3);
  expect(items).toEqual([...OLD_ITEMS, storedTestCase(testCase('c'), 2, [testCase('c').json])]);
  expect(await store.earlierExecutions(LIVE, [0, 1, 2])).toEqual(new Map());
  await store.close();
  await storeTarget.check(place);
});

test('runs that begin later have a history, those of the first version can be forgotten', async () => {
  writeFirstVersion();
  const store = await storeTarget.open(place);
  for (const id of [workflowId(3), workflowId(4)]) {
    const workflow = workflowRow(id, { live: false });
    await store.append(append(id, 0, { projection: { workflow, testCases: [testCase('a')] } }));
  }
  const earlier = (await store.earlierExecutions(workflowId(4), [0])).get(0);
  expect(earlier?.map((execution) => execution.workflowId)).toEqual([workflowId(3)]);
  await store.forget([OVER, LIVE]);
  await store.close();
  const db = new DatabaseSync(databaseFile(place));
  const left = db.prepare('SELECT count(*) AS count FROM test_cases').get()?.count;
  db.close();
  expect(left).toBe(2);
  await storeTarget.check(place);
});

test('a test case of the third version goes on with the execution that counted', async () => {
  const created = await storeTarget.open(place);
  const cases = { testCases: [testCase('a', { outcome: 'failure' }), testCase('a')] };
  await created.append(append(LIVE, 0, { projection: cases }));
  await created.close();
  const db = new DatabaseSync(databaseFile(place));
  db.exec(`
    ALTER TABLE test_cases DROP COLUMN precedence;
    ALTER TABLE test_cases DROP COLUMN counting;
    ALTER TABLE test_executions DROP COLUMN precedence;
    DROP INDEX folding_events;
    ALTER TABLE events DROP COLUMN folds;
    ALTER TABLE workflows DROP COLUMN events_size;
    DROP INDEX ended_workflows;
    DROP INDEX outbox_shared_bodies;
    ALTER TABLE outbox DROP COLUMN shared_body;
    DROP TABLE shared_bodies;
    DROP TABLE log_parts;
    ALTER TABLE workflows DROP COLUMN part_bytes;
    ALTER TABLE workflows DROP COLUMN masks_size;
    ${WITHOUT_MARKS}
    ${KEYS_IN_ONE_TREE}
    ${NO_SUMMARIES}
    PRAGMA user_version = 3;
  `);
  db.close();
  const store = await storeTarget.open(place);
  const { json } = testCase('a');
  expect((await store.testCases(LIVE, 0, 10)).items).toEqual([
    storedTestCase(testCase('a'), 0, [json]),
  ]);
  const failed = testCase('a', { outcome: 'failure', precedence: 3 });
  const more = { testCases: [failed, testCase('a', { precedence: 2 })] };
  await store.append(append(LIVE, 1, { projection: more }));
  expect((await store.testCases(LIVE, 0, 10)).items).toEqual([
    storedTestCase(failed, 0, [json, json, json], 3),
  ]);
  await store.close();
  await storeTarget.check(place);
});

test('publications of the first version wait for their inboxes', async () => {
  writeFirstVersion();
  const db = new DatabaseSync(databaseFile(place));
  const add = db.prepare(
    'INSERT INTO outbox (subscription_id, publication_id, body) VALUES (?, ?, ?)',
  );
  for (const id of [1, 2]) add.run(subscriptionId(id), jobId(1), '"body"');
  db.close();
  const store = await storeTarget.open(place);
  const size = { entries: 1, bytes: 6 };
  expect([...(await store.outboxSizes()).values()]).toEqual([size, size]);
  const [entry] = await store.outbox(subscriptionId(2), 2);
  expect(entry).toMatchObject({ publicationId: jobId(1), body: '"body"', bytes: 6 });
  await store.write({ outboxDone: [entry?.position ?? 0] });
  expect(await store.outboxSubscriptions()).toEqual([subscriptionId(1)]);
  await store.close();
  await storeTarget.check(place);
});

test('runs of the first version that are over are told when they are too old', async () => {
  writeFirstVersion();
  const db = new DatabaseSync(databaseFile(place));
  db.exec(`UPDATE workflows SET completed_at = '${timestamp(5)}' WHERE workflow_id = '${OVER}'`);
  db.close();
  const store = await storeTarget.open(place);
  const unfolded = (await store.unfoldedRuns(9)).map(({ workflowId: id, mark }) => ({ id, mark }));
  for (const { id, mark } of unfolded) {
    await store.write({ testHistory: { end: { run: 0, workflowId: id, mark, onlyFailed: null } } });
  }
  expect(await store.endedWorkflowIds({ at: timestamp(6), place: 0 }, 9)).toEqual([OVER]);
  await store.close();
});

test('the log of a run of the sixth version goes on: text that it stored, and then parts', async () => {
  const before = 'line é\n'.repeat(2_000);
  const created = await storeTarget.open(place);
  await created.append(append(LIVE, 0, { projection: { logText: before } }));
  await created.close();
  const db = new DatabaseSync(databaseFile(place));
  db.exec(`
    DROP TABLE log_parts;
    ALTER TABLE workflows DROP COLUMN part_bytes;
    ALTER TABLE workflows DROP COLUMN masks_size;
    DROP INDEX folding_events;
    ALTER TABLE events DROP COLUMN folds;
    ALTER TABLE workflows DROP COLUMN events_size;
    ${WITHOUT_MARKS}
    ${KEYS_IN_ONE_TREE}
    ${NO_SUMMARIES}
    PRAGMA user_version = 6;
  `);
  db.close();
  const store = await storeTarget.open(place);
  const event = { lines: Array.from({ length: 300 }, (_, number) => `line ${number}`) };
  const json = JSON.stringify(event);
  const part = logPartOf({ event, json, prefix: '> ', lines: event.lines });
  if (part === null) throw new Error('These lines are a part.');
  const logParts = [{ ...part, event: 0, textBefore: 2 }];
  const events = [{ kind: 'Notification', json }];
  await store.append(append(LIVE, 1, { events, projection: { logText: '1\n2\n', logParts } }));
  const lines = event.lines.map((line) => `> ${line}\n`).join('');
  const slice = await store.log(LIVE, 0, Number.MAX_SAFE_INTEGER);
  expect(Buffer.from(slice?.bytes ?? []).toString()).toBe(`${before}1\n${lines}2\n`);
  // Nobody counted the lines before.
  expect(await store.logPlace(LIVE, 9)).toMatchObject({ line: 0, byte: 0, lines: null });
  await store.close();
  await storeTarget.check(place);
});

test('the list of all says how much runs of the eighth version mask', async () => {
  const created = await storeTarget.open(place);
  const documents = [{ collection: RUN_MASKS, key: LIVE, json: '["a"]' }];
  for (const id of [OVER, LIVE]) {
    await created.append(append(id, 0, id === LIVE ? { documents } : {}));
  }
  await created.close();
  const db = new DatabaseSync(databaseFile(place));
  db.exec(`
    ALTER TABLE workflows DROP COLUMN masks_size;
    ${WITHOUT_MARKS}
    ${KEYS_IN_ONE_TREE}
    ${NO_SUMMARIES}
    PRAGMA user_version = 8;
  `);
  db.close();
  const store = await storeTarget.open(place);
  expect((await store.workflows()).map(({ masks }) => masks)).toEqual([0, 5]);
  await store.close();
});

test('a run of the ninth version goes on: its test cases are known, and those of earlier runs', async () => {
  const created = await storeTarget.open(place);
  const cases = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => testCase(`case ${from + index}`));
  for (const id of [OVER, LIVE]) {
    await created.append(append(id, 0, { projection: { testCases: cases(0, 3_000) } }));
  }
  await created.close();
  const db = new DatabaseSync(databaseFile(place));
  db.exec(`${WITHOUT_MARKS} ${KEYS_IN_ONE_TREE} ${NO_SUMMARIES} PRAGMA user_version = 9`);
  db.close();
  const store = await storeTarget.open(place);
  await store.append(append(LIVE, 1, { projection: { testCases: cases(2_990, 6_000) } }));
  await store.append(append(LIVE, 2, { projection: { testCases: cases(5_990, 6_001) } }));
  expect((await store.testCases(LIVE, 0, 1)).total).toBe(6_001);
  for (const number of [0, 2_990, 5_990, 6_000]) {
    const [found] = (await store.testCases(LIVE, number, 1)).items;
    const { json } = testCase(`case ${number}`);
    const executions = number % 3_000 === 2_990 ? 2 : 1;
    expect(found).toMatchObject({ json, executions });
  }
  const earlier = await store.earlierExecutions(LIVE, [0, 2_999, 3_000]);
  expect(new Set(earlier.keys())).toEqual(new Set([0, 2_999]));
  await store.close();
  await storeTarget.check(place);
});

test('lists know how long runs of the tenth version took, and how many of their test cases failed', async () => {
  const created = await storeTarget.open(place);
  const workflow = workflowRow(OVER, { live: false, status: 'DONE', completedAt: timestamp(3) });
  const testCases = [testCase('a', { outcome: 'failure' }), testCase('b', { outcome: 'error' })];
  const summary = { json: '1', failure: null, lines: 0 };
  await created.append(append(OVER, 0, { projection: { workflow, testCases, summary } }));
  await created.append(append(LIVE, 0, { projection: { testCases: [testCase('a')] } }));
  await created.close();
  const db = new DatabaseSync(databaseFile(place));
  db.exec(`${WITHOUT_MARKS} ${NO_SUMMARIES} PRAGMA user_version = 10`);
  db.close();
  const store = await storeTarget.open(place);
  const page = { isDescending: true, offset: 0, limit: 1 };
  for (const order of ['duration', 'failures'] as const) {
    expect(await store.summarizedRuns({ ...page, order })).toMatchObject([
      { workflowId: OVER, summary: null, tests: { failure: 1, error: 1 } },
    ]);
  }
  const { name, namespace } = workflow;
  expect(await store.recentDurations([{ name, namespace }])).toEqual([[120_000]]);
  expect(await store.unsummarizedRuns(9, 9)).toEqual({ items: [LIVE, OVER], place: 1 });
  await store.close();
  await storeTarget.check(place);
});

test('runs of the twelfth version wait to be folded, if they have results and are over', async () => {
  const created = await storeTarget.open(place);
  const workflow = workflowRow(OVER, { live: false, status: 'DONE', completedAt: timestamp(3) });
  const testCases = [testCase('a')];
  await created.append(append(OVER, 0, { projection: { workflow, testCases } }));
  await created.append(append(LIVE, 0, { projection: { testCases } }));
  const other = workflowRow(workflowId(3), { live: false, completedAt: timestamp(3) });
  await created.append(append(workflowId(3), 0, { projection: { workflow: other } }));
  await created.close();
  const db = new DatabaseSync(databaseFile(place));
  db.exec(`${WITHOUT_HISTORY} PRAGMA user_version = 12`);
  db.close();
  const store = await storeTarget.open(place);
  expect(await store.unfoldedRuns(9)).toEqual([{ workflowId: OVER, mark: 1 }]);
  await store.close();
  await storeTarget.check(place);
});
