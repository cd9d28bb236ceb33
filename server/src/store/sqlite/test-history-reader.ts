/** Reads the history of tests. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { parseTimestamp, type WorkflowId } from '@tutti/manifests';
import { likePattern } from '../run-query.ts';
import type {
  ExecutionConditions,
  HistoryBounds,
  JournalConditions,
  JournalQuery,
  KnownVariant,
  ListedChange,
  ListedExecution,
  ListedTest,
  StoredVariant,
  TestConditions,
  TestedRun,
  TestHistoryReads,
  TestOrder,
  TestQuery,
  TestRow,
  UnfoldedRun,
  VariantQuery,
} from '../test-history.ts';
import {
  outcomeNumber,
  outcomeOfNumber,
  stateNumber,
  stateOfNumber,
  uuidBytes,
  uuidOf,
} from '../test-history-codes.ts';
import { createCauseReader } from './cause-reader.ts';
import { createQueries, prepareListQuery, prepareQuery, type Reads } from './query.ts';

export type HistoryReader = Reads<keyof TestHistoryReads>;

export function createHistoryReader(db: DatabaseSync): HistoryReader {
  return {
    ...createFoldingReads(db),
    variantFigures: createFiguresQuery(db),
    ...createTestReads(db),
    ...createJournalReads(db),
    testExecutions: createExecutionsQuery(db),
    testedRuns: createRunsQuery(db),
    surplusRuns: createSurplusQuery(db),
    ...createCauseReader(db),
  };
}

interface StoredTestedRun
  extends Omit<TestedRun, 'isMain' | 'places' | 'massJobs' | 'versionNumber'> {
  readonly isMain: 0 | 1;
  readonly places: string;
  readonly massJobs: string;
  readonly versionNumber: number | null;
}

const RUN_COLUMNS = `r.run, r.workflow_id AS workflowId, r.namespace, r.project, r.name, r.version, r.branch, r.is_main AS isMain,
  r.created_at AS createdAt, r.places, r.mass_jobs AS massJobs,
  (SELECT min(run) FROM tested_runs v WHERE v.version IS NOT NULL AND v.namespace = r.namespace AND v.project = r.project
     AND v.version = r.version) AS versionNumber`;

function testedRun(stored: StoredTestedRun): TestedRun {
  return {
    ...stored,
    isMain: stored.isMain === 1,
    places: JSON.parse(stored.places),
    massJobs: JSON.parse(stored.massJobs),
    versionNumber: stored.versionNumber ?? stored.run,
  };
}

function createFoldingReads(db: DatabaseSync) {
  const unfolded = prepareQuery<UnfoldedRun>(
    db,
    `SELECT workflow_id AS workflowId, unfolded AS mark FROM workflows WHERE unfolded > 0 AND live = 0
     ORDER BY completed_at, id LIMIT ?`,
  );
  const begun = prepareQuery<StoredTestedRun>(
    db,
    `SELECT ${RUN_COLUMNS} FROM tested_runs r WHERE r.workflow_id = ? AND r.is_folded = 0`,
  );
  const known = prepareListQuery<
    readonly [id: string, ledger: Uint8Array | null, lastAttempt: number]
  >(
    db,
    `SELECT id.value, l.bytes, (SELECT coalesce(max(e.attempt), 0) FROM tested_runs r CROSS JOIN executions e
         ON e.run = r.run AND e.variant = v.id WHERE r.workflow_id = ?1)
     FROM json_each(?2) AS id CROSS JOIN test_variants v ON v.uuid = unhex(id.value, '-')
     LEFT JOIN test_ledgers l ON l.variant = v.id`,
  );
  return {
    unfoldedRuns: (limit: number) => unfolded.all(limit),
    begunRun(workflowId: WorkflowId) {
      const found = begun.get(workflowId);
      return found === undefined ? null : testedRun(found);
    },
    knownVariants: (workflowId: WorkflowId, ids: readonly string[]): readonly KnownVariant[] =>
      known
        .all(workflowId, JSON.stringify(ids))
        .map(([id, ledger, lastAttempt]) => ({ id, ledger, lastAttempt })),
  };
}

function createFiguresQuery(db: DatabaseSync): HistoryReader['variantFigures'] {
  type Found = readonly [id: string, ...numbers: [number, number, number, number, number | null]];
  const query = prepareListQuery<Found>(
    db,
    `SELECT id.value, v.state, v.flake_rate, v.failures, v.executions,
       (SELECT max(until_ms) FROM test_journal q
        WHERE q.until_ms IS NOT NULL AND q.test = v.test AND (q.variant IS NULL OR q.variant = v.id))
     FROM json_each(?) AS id CROSS JOIN test_variants v ON v.uuid = unhex(id.value, '-')`,
  );
  return (ids) =>
    query.all(JSON.stringify(ids)).map(([id, state, flakeRate, failures, executions, untilMs]) => ({
      ...{ id, flakeRate, failures, executions, untilMs },
      state: stateOfNumber(state),
    }));
}

const FIGURES = (
  table: string,
) => `${table}.state, ${table}.flake_rate AS flakeRate, ${table}.failures,
  ${table}.executions, ${table}.duration_ms AS durationMs, ${table}.last_failed_ms AS lastFailedMs`;

interface Order {
  readonly index: string;
  readonly down: string;
  readonly up: string;
}

/** The columns of its index. Upwards, all of them are the other way round. */
const byValue = (index: string, column: string): Order => ({
  index,
  down: `t.${column} DESC, t.state, t.id`,
  up: `t.${column}, t.state DESC, t.id DESC`,
});

const ORDERS: Readonly<Record<TestOrder, Order>> = {
  impact: byValue('tests_by_impact', 'impact'),
  flakeRate: byValue('tests_by_flake_rate', 'flake_rate'),
  failures: byValue('tests_by_failures', 'failures'),
  duration: byValue('tests_by_duration', 'duration_ms'),
  lastFailed: byValue('tests_by_last_failure', 'last_failed_ms'),
  name: {
    index: 'tests_by_name',
    down: 't.suite DESC, t.name DESC, t.id DESC',
    up: 't.suite, t.name, t.id',
  },
};

const TEST_COLUMNS = `t.uuid, t.namespace, t.project, t.technology, t.suite, t.name, t.impact AS impactRuns, ${FIGURES('t')},
  (SELECT created_at FROM tested_runs WHERE run = t.first_run) AS firstSeen,
  (SELECT created_at FROM tested_runs WHERE run = t.last_run) AS lastSeen,
  (SELECT version FROM tested_runs WHERE run = t.last_run) AS lastVersion,
  (SELECT max(until_ms) FROM test_journal q WHERE q.until_ms IS NOT NULL AND q.test = t.id) AS untilMs`;

type Stored<Row> = Omit<Row, 'id' | 'state'> & {
  readonly uuid: Uint8Array;
  readonly state: number;
};

const ofStored = <Row extends { readonly id: string }>({ uuid, state, ...row }: Stored<Row>) => ({
  id: uuidOf(uuid),
  ...row,
  state: stateOfNumber(state),
});

function createTestReads(db: DatabaseSync) {
  const lists = createQueries<Stored<ListedTest>>(db);
  const counts = createQueries<{ readonly total: number }>(db);
  const few = createNameSearch(db);
  const one = prepareQuery<Stored<ListedTest>>(
    db,
    `SELECT ${TEST_COLUMNS} FROM tests t WHERE t.uuid = ?`,
  );
  const variants = prepareQuery<Stored<StoredVariant>>(
    db,
    `SELECT v.uuid, v.job, v.function, ${FIGURES('v')}, l.bytes AS ledger FROM tests t JOIN test_variants v ON v.test = t.id
     LEFT JOIN test_ledgers l ON l.variant = v.id WHERE t.uuid = ?1 AND v.uuid = coalesce(?2, v.uuid)
     ORDER BY v.state, v.id LIMIT ?3`,
  );
  return {
    tests(query: TestQuery) {
      const ids = query.search === undefined ? null : few(query.search);
      const { where, values } = whereOf(query, ids);
      const { index, down, up } = ORDERS[query.order];
      const order = query.isDescending ? down : up;
      const by = ids === null ? `INDEXED BY ${index}` : 'NOT INDEXED';
      // The rows of a list are found first, in the index alone.
      const found = lists(
        `SELECT ${TEST_COLUMNS} FROM (SELECT id FROM tests t ${by} ${where} ORDER BY ${order} LIMIT ? OFFSET ?) p
         CROSS JOIN tests t ON t.id = p.id ORDER BY ${order}`,
      );
      return found.all(...values, query.limit, query.offset).map(ofStored<ListedTest>);
    },
    countTests(conditions: TestConditions) {
      const { where, values } = whereOf(conditions, null);
      const index = conditions.search === undefined ? '' : 'INDEXED BY tests_by_name';
      const count = counts(`SELECT count(*) AS total FROM tests ${index} ${where}`);
      return count.get(...values)?.total ?? 0;
    },
    test(testId: string) {
      const found = one.get(uuidBytes(testId));
      return found === undefined ? null : ofStored<ListedTest>(found);
    },
    testVariants({ testId, variantId, limit }: VariantQuery) {
      const only = variantId === undefined ? null : uuidBytes(variantId);
      return variants.all(uuidBytes(testId), only, limit).map(ofStored<StoredVariant>);
    },
  };
}

type StoredChange = Omit<ListedChange, 'testId' | 'variantId' | 'test' | 'state'> &
  Omit<TestRow, 'id'> & {
    readonly uuid: Uint8Array;
    readonly variant: Uint8Array | null;
    readonly state: number;
  };

function createJournalReads(db: DatabaseSync) {
  const pages = createQueries<StoredChange>(db);
  const counts = createQueries<{ readonly entries: number; readonly tests: number }>(db);
  const from = 'FROM test_journal j JOIN tests t ON t.id = j.test';
  return {
    testJournal(query: JournalQuery) {
      const { where, values } = journalWhere(query);
      const found = pages(
        `SELECT j.at_ms AS atMs, j.kind, j.json, j.until_ms AS untilMs, v.uuid AS variant, coalesce(v.state, t.state) AS state,
           t.uuid, t.namespace, t.project, t.technology, t.suite, t.name
         ${from} LEFT JOIN test_variants v ON v.id = j.variant ${where} ORDER BY j.id DESC LIMIT ? OFFSET ?`,
      );
      return found.all(...values, query.limit, query.offset).map(listedChange);
    },
    countJournal(conditions: JournalConditions) {
      const { where, values } = journalWhere(conditions);
      const count = counts(
        `SELECT count(*) AS entries, count(DISTINCT j.test) AS tests ${from} ${where}`,
      );
      return count.get(...values) ?? { entries: 0, tests: 0 };
    },
  };
}

function listedChange({ uuid, variant, state, ...found }: StoredChange): ListedChange {
  const { atMs, kind, json, untilMs, ...parts } = found;
  const testId = uuidOf(uuid);
  return {
    ...{ atMs, kind, json, untilMs, testId },
    variantId: variant === null ? null : uuidOf(variant),
    test: { id: testId, ...parts },
    state: stateOfNumber(state),
  };
}

function journalWhere(conditions: JournalConditions) {
  const { testId, namespaces, project, kind, sinceMs, inForceMs } = conditions;
  const all: string[] = [];
  const values: SQLInputValue[] = [];
  const add = (condition: string, value: SQLInputValue) => {
    all.push(condition);
    values.push(value);
  };
  if (testId !== undefined) add('t.uuid = ?', uuidBytes(testId));
  if (namespaces !== undefined)
    add('t.namespace IN (SELECT value FROM json_each(?))', JSON.stringify(namespaces));
  if (project !== undefined) add('t.project = ?', project);
  if (kind !== undefined) add('j.kind = ?', kind);
  if (sinceMs !== undefined) add('j.at_ms >= ?', Math.ceil(sinceMs));
  if (inForceMs !== undefined)
    add('j.until_ms IS NOT NULL AND j.until_ms > ?', Math.floor(inForceMs));
  return { where: all.length === 0 ? '' : `WHERE ${all.join(' AND ')}`, values };
}

/** If more tests match, a list finds its page soon. */
const FEW = 5_000;
const IN_NAMES = `(suite LIKE ? ESCAPE '\\' OR name LIKE ? ESCAPE '\\')`;

/** Ids of tests with a text in their names, which one index has; null if there are many. */
function createNameSearch(db: DatabaseSync) {
  const search = prepareListQuery<readonly [id: number]>(
    db,
    `SELECT id FROM tests INDEXED BY tests_by_name WHERE ${IN_NAMES} LIMIT ${FEW}`,
  );
  return (text: string): readonly number[] | null => {
    const pattern = likePattern(text);
    const found = search.all(pattern, pattern);
    return found.length < FEW ? found.map(([id]) => id) : null;
  };
}

/** With the ids that a search found, or without. */
function whereOf(
  { namespaces, project, states, search }: TestConditions,
  ids: readonly number[] | null,
) {
  const conditions: string[] = [];
  const values: SQLInputValue[] = [];
  const add = (condition: string, ...given: readonly SQLInputValue[]) => {
    conditions.push(condition);
    values.push(...given);
  };
  const among = (column: string, list: readonly (string | number)[]) =>
    add(`${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(list));
  if (namespaces !== undefined) among('namespace', namespaces);
  if (project !== undefined) add('project = ?', project);
  if (states !== undefined) among('state', states.map(stateNumber));
  if (ids !== null) among('id', ids);
  else if (search !== undefined) add(IN_NAMES, likePattern(search), likePattern(search));
  return { where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`, values };
}

interface FoundExecution extends StoredTestedRun {
  readonly variant: Uint8Array;
  readonly job: string;
  readonly attempt: number;
  readonly outcome: number;
  readonly startedMs: number;
  readonly durationUs: number;
  readonly place: number;
}

function createExecutionsQuery(db: DatabaseSync): HistoryReader['testExecutions'] {
  const pages = createQueries<FoundExecution>(db);
  const counts = createQueries<{ readonly total: number }>(db);
  // Nested loops in this order: runs of the project, variants, executions.
  const from = `FROM tests t CROSS JOIN tested_runs r ON r.namespace = t.namespace AND r.project = t.project
     CROSS JOIN test_variants v ON v.test = t.id CROSS JOIN executions e ON e.run = r.run AND e.variant = v.id`;
  return (query) => {
    const { where, values } = executionsWhere(query);
    const found = pages(
      `SELECT ${RUN_COLUMNS}, v.uuid AS variant, v.job, e.attempt, e.outcome, e.started_ms AS startedMs,
         e.duration_us AS durationUs, e.place ${from} ${where} ORDER BY r.run DESC, v.id DESC, e.attempt DESC LIMIT ? OFFSET ?`,
    ).all(...values, query.limit, query.offset);
    const total = counts(`SELECT count(*) AS total ${from} ${where}`).get(...values)?.total ?? 0;
    return { items: found.map(listedExecution), total };
  };
}

function listedExecution(found: FoundExecution): ListedExecution {
  const { variant, job, attempt, outcome, startedMs, durationUs, place, ...stored } = found;
  const run = testedRun(stored);
  return {
    variantId: uuidOf(variant),
    job,
    attempt,
    outcome: outcomeOfNumber(outcome),
    startedMs: (parseTimestamp(run.createdAt) ?? 0) + startedMs,
    durationMs: durationUs / 1_000,
    run,
    place: run.places[place] ?? null,
  };
}

function executionsWhere(conditions: ExecutionConditions) {
  const { testId, variantId, version, branch, outcome, since } = conditions;
  const all = ['t.uuid = ?'];
  const values: SQLInputValue[] = [uuidBytes(testId)];
  const add = (condition: string, value: SQLInputValue) => {
    all.push(condition);
    values.push(value);
  };
  if (variantId !== undefined) add('v.uuid = ?', uuidBytes(variantId));
  if (version !== undefined) add('r.version = ?', version);
  if (branch !== undefined) add('r.branch = ?', branch);
  if (outcome !== undefined) add('e.outcome = ?', outcomeNumber(outcome));
  if (since !== undefined) add('r.created_at >= ?', since);
  return { where: `WHERE ${all.join(' AND ')}`, values };
}

function createRunsQuery(db: DatabaseSync) {
  const query = prepareQuery<StoredTestedRun>(
    db,
    `SELECT ${RUN_COLUMNS} FROM json_each(?) AS n CROSS JOIN tested_runs r ON r.run = n.value ORDER BY r.run`,
  );
  return (runs: readonly number[]) => query.all(JSON.stringify(runs)).map(testedRun);
}

/** In the order of runs, so that the oldest go first. */
function createSurplusQuery(db: DatabaseSync) {
  const query = prepareQuery<{ readonly run: number }>(
    db,
    `SELECT run FROM (SELECT run, created_at,
         row_number() OVER (PARTITION BY namespace, name ORDER BY run DESC) AS place,
         sum(executions) OVER (ORDER BY run DESC) AS total FROM tested_runs)
     WHERE created_at < ? OR place > ? OR total > ? ORDER BY run LIMIT ?`,
  );
  return ({ createdBefore, runsPerName, executions }: HistoryBounds, limit: number) =>
    query.all(createdBefore, runsPerName, executions, limit).map(({ run }) => run);
}
