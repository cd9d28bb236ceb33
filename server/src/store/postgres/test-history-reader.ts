/** Reads the history of tests. */
import { parseTimestamp, type WorkflowId } from '@tutti/manifests';
import { likePattern } from '../run-query.ts';
import type {
  ExecutionConditions,
  ExecutionQuery,
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
  VariantFigures,
  VariantQuery,
} from '../test-history.ts';
import {
  outcomeNumber,
  outcomeOfNumber,
  stateNumber,
  stateOfNumber,
} from '../test-history-codes.ts';
import { createCauseReader } from './cause-reader.ts';
import type { Parameter } from './connection.ts';
import { type NumberedExecution, partOf, unpackExecutions } from './execution-parts.ts';
import { fromPlain, fromPlainOrNull, toPlain } from './plain-text.ts';
import type { Read } from './read.ts';

export const createHistoryReader = (read: Read): TestHistoryReads => ({
  ...createFoldingReads(read),
  async variantFigures(ids) {
    const rows = await read<Stored<VariantFigures>>(
      `SELECT v.uuid AS id, v.state, v.flake_rate AS "flakeRate", v.failures, v.executions,
         (SELECT max(until_ms) FROM test_journal q
          WHERE q.until_ms IS NOT NULL AND q.test = v.test AND (q.variant IS NULL OR q.variant = v.id)) AS "untilMs"
       FROM test_variants v WHERE v.uuid = ANY ($1::uuid[])`,
      [ids],
    );
    return rows.map((row) => ({ ...row, state: stateOfNumber(row.state) }));
  },
  ...createTestReads(read),
  ...createJournalReads(read),
  testExecutions: (query) => readExecutions(read, query),
  testedRuns: (runs) => readRuns(read, runs),
  surplusRuns: (bounds, limit) => readSurplus(read, bounds, limit),
  ...createCauseReader(read),
});

interface StoredTestedRun extends Omit<TestedRun, 'places' | 'massJobs' | 'versionNumber'> {
  readonly places: string;
  readonly massJobs: string;
  readonly versionNumber: number | null;
}

const RUN_COLUMNS = `r.run, r.workflow_id AS "workflowId", r.namespace, r.project, r.name, r.version, r.branch,
  r.is_main AS "isMain", r.created_at AS "createdAt", r.places, r.mass_jobs AS "massJobs",
  (SELECT min(v.run) FROM tested_runs v WHERE v.version IS NOT NULL AND v.namespace = r.namespace AND v.project = r.project
     AND v.version = r.version) AS "versionNumber"`;

function testedRun(stored: StoredTestedRun): TestedRun {
  return {
    ...stored,
    namespace: fromPlain(stored.namespace),
    project: fromPlain(stored.project),
    name: fromPlain(stored.name),
    version: fromPlainOrNull(stored.version),
    branch: fromPlainOrNull(stored.branch),
    places: JSON.parse(stored.places),
    massJobs: JSON.parse(stored.massJobs),
    versionNumber: stored.versionNumber ?? stored.run,
  };
}

function createFoldingReads(read: Read) {
  return {
    unfoldedRuns: (limit: number) =>
      read<UnfoldedRun>(
        `SELECT workflow_id AS "workflowId", unfolded AS mark FROM runs WHERE unfolded > 0 AND NOT live
         ORDER BY completed_at, place LIMIT $1`,
        [limit],
      ),
    async begunRun(workflowId: WorkflowId) {
      const [found] = await read<StoredTestedRun>(
        `SELECT ${RUN_COLUMNS} FROM tested_runs r WHERE r.workflow_id = $1 AND NOT r.is_folded`,
        [workflowId],
      );
      return found === undefined ? null : testedRun(found);
    },
    async knownVariants(workflowId: WorkflowId, ids: readonly string[]) {
      const known = await read<Omit<KnownVariant, 'lastAttempt'> & { readonly number: number }>(
        `SELECT v.uuid AS id, v.id AS number, l.bytes AS ledger
         FROM test_variants v LEFT JOIN test_ledgers l ON l.variant = v.id WHERE v.uuid = ANY ($1::uuid[])`,
        [ids],
      );
      const parts = new Set(known.map(({ number }) => partOf(number)));
      const stored = await read<StoredPart>(
        `SELECT e.part, e.bytes FROM tested_runs r JOIN execution_parts e ON e.run = r.run
         WHERE r.workflow_id = $1 AND e.part = ANY ($2::bigint[])`,
        [workflowId, [...parts]],
      );
      const lastAttempts = new Map<number, number>();
      for (const { part, bytes } of stored) {
        for (const { variant, attempt } of unpackExecutions(part, bytes)) {
          lastAttempts.set(variant, Math.max(attempt, lastAttempts.get(variant) ?? 0));
        }
      }
      return known.map(({ number, ...each }) => ({
        ...each,
        lastAttempt: lastAttempts.get(number) ?? 0,
      }));
    },
  };
}

interface StoredPart {
  readonly part: number;
  readonly bytes: Uint8Array;
}

const FIGURES = (
  table: string,
) => `${table}.state, ${table}.flake_rate AS "flakeRate", ${table}.failures,
  ${table}.executions, ${table}.duration_ms AS "durationMs", ${table}.last_failed_ms AS "lastFailedMs"`;

interface Order {
  readonly down: string;
  readonly up: string;
}

/** The columns of its index. Upwards, all of them are the other way round. Unknown values are the smallest. */
const byValue = (column: string): Order => ({
  down: `t.${column} DESC NULLS LAST, t.state, t.id`,
  up: `t.${column} NULLS FIRST, t.state DESC, t.id DESC`,
});

const ORDERS: Readonly<Record<TestOrder, Order>> = {
  impact: byValue('impact'),
  flakeRate: byValue('flake_rate'),
  failures: byValue('failures'),
  duration: byValue('duration_ms'),
  lastFailed: byValue('last_failed_ms'),
  name: {
    down: 'left(t.suite, 200) DESC, left(t.name, 200) DESC, t.id DESC',
    up: 'left(t.suite, 200), left(t.name, 200), t.id',
  },
};

const TEST_COLUMNS = `t.uuid AS id, t.namespace, t.project, t.technology, t.suite, t.name, t.impact AS "impactRuns", ${FIGURES('t')},
  (SELECT created_at FROM tested_runs WHERE run = t.first_run) AS "firstSeen",
  (SELECT created_at FROM tested_runs WHERE run = t.last_run) AS "lastSeen",
  (SELECT version FROM tested_runs WHERE run = t.last_run) AS "lastVersion",
  (SELECT max(until_ms) FROM test_journal q WHERE q.until_ms IS NOT NULL AND q.test = t.id) AS "untilMs"`;

type Stored<Row> = Omit<Row, 'state'> & { readonly state: number };

const listedTest = (stored: Stored<ListedTest>): ListedTest => ({
  ...stored,
  namespace: fromPlain(stored.namespace),
  project: fromPlain(stored.project),
  technology: fromPlain(stored.technology),
  suite: fromPlain(stored.suite),
  name: fromPlain(stored.name),
  state: stateOfNumber(stored.state),
});

const storedVariant = (stored: Stored<StoredVariant>): StoredVariant => ({
  ...stored,
  job: fromPlain(stored.job),
  function: fromPlain(stored.function),
  state: stateOfNumber(stored.state),
});

function createTestReads(read: Read) {
  return {
    async tests(query: TestQuery) {
      const { where, values } = whereOf(query, [query.limit, query.offset]);
      const { down, up } = ORDERS[query.order];
      const order = query.isDescending ? down : up;
      const rows = await read<Stored<ListedTest>>(
        `SELECT ${TEST_COLUMNS} FROM (SELECT * FROM tests t ${where} ORDER BY ${order} LIMIT $1 OFFSET $2) t
         ORDER BY ${order}`,
        values,
      );
      return rows.map(listedTest);
    },
    async countTests(conditions: TestConditions) {
      const { where, values } = whereOf(conditions, []);
      const [row] = await read<{ readonly total: number }>(
        `SELECT count(*) AS total FROM tests t ${where}`,
        values,
      );
      return row?.total ?? 0;
    },
    async test(testId: string) {
      const [found] = await read<Stored<ListedTest>>(
        `SELECT ${TEST_COLUMNS} FROM tests t WHERE t.uuid = $1`,
        [testId],
      );
      return found === undefined ? null : listedTest(found);
    },
    async testVariants({ testId, variantId, limit }: VariantQuery) {
      const variants = await read<Stored<StoredVariant>>(
        `SELECT v.uuid AS id, v.job, v.function, ${FIGURES('v')}, l.bytes AS ledger FROM tests t
           JOIN test_variants v ON v.test = t.id LEFT JOIN test_ledgers l ON l.variant = v.id
         WHERE t.uuid = $1 AND v.uuid = coalesce($2, v.uuid) ORDER BY v.state, v.id LIMIT $3`,
        [testId, variantId ?? null, limit],
      );
      return variants.map(storedVariant);
    },
  };
}

type StoredChange = Omit<ListedChange, 'testId' | 'test' | 'state'> &
  TestRow & { readonly state: number };

const JOURNAL = 'FROM test_journal j JOIN tests t ON t.id = j.test';

const createJournalReads = (read: Read) => ({
  async testJournal(query: JournalQuery) {
    const { where, values } = journalWhere(query, [query.limit, query.offset]);
    const found = await read<StoredChange>(
      `SELECT j.at_ms AS "atMs", j.kind, j.json, j.until_ms AS "untilMs", v.uuid AS "variantId", coalesce(v.state, t.state) AS state,
         t.uuid AS id, t.namespace, t.project, t.technology, t.suite, t.name
       ${JOURNAL} LEFT JOIN test_variants v ON v.id = j.variant ${where} ORDER BY j.id DESC LIMIT $1 OFFSET $2`,
      values,
    );
    return found.map(listedChange);
  },
  async countJournal(conditions: JournalConditions) {
    const { where, values } = journalWhere(conditions, []);
    const [row] = await read<{ readonly entries: number; readonly tests: number }>(
      `SELECT count(*) AS entries, count(DISTINCT j.test) AS tests ${JOURNAL} ${where}`,
      values,
    );
    return row ?? { entries: 0, tests: 0 };
  },
});

function listedChange({ state, ...found }: StoredChange): ListedChange {
  const { atMs, kind, json, untilMs, variantId, ...test } = found;
  const texts = {
    namespace: fromPlain(test.namespace),
    project: fromPlain(test.project),
    technology: fromPlain(test.technology),
    suite: fromPlain(test.suite),
    name: fromPlain(test.name),
  };
  const change = { atMs, kind, json, untilMs, variantId, testId: test.id };
  return { ...change, test: { id: test.id, ...texts }, state: stateOfNumber(state) };
}

function journalWhere(conditions: JournalConditions, first: readonly Parameter[]) {
  const all = conditionsAfter(first);
  const { testId, namespaces, project, kind, sinceMs, inForceMs } = conditions;
  if (testId !== undefined) all.add((id) => `t.uuid = ${id}`, testId);
  if (namespaces !== undefined)
    all.add((list) => `t.namespace = ANY (${list}::text[])`, namespaces.map(toPlain));
  if (project !== undefined) all.add((text) => `t.project = ${text}`, toPlain(project));
  if (kind !== undefined) all.add((text) => `j.kind = ${text}`, kind);
  if (sinceMs !== undefined) all.add((time) => `j.at_ms >= ${time}`, Math.ceil(sinceMs));
  if (inForceMs !== undefined)
    all.add((time) => `j.until_ms IS NOT NULL AND j.until_ms > ${time}`, Math.floor(inForceMs));
  return all;
}

/** Conditions of a statement, behind parameters that it has already. */
function conditionsAfter(first: readonly Parameter[]) {
  const texts: string[] = [];
  const values: Parameter[] = [...first];
  return {
    values,
    add(condition: (place: string) => string, value: Parameter): void {
      values.push(value);
      texts.push(condition(`$${values.length}`));
    },
    get where(): string {
      return texts.length === 0 ? '' : `WHERE ${texts.join(' AND ')}`;
    },
  };
}

function whereOf(conditions: TestConditions, first: readonly Parameter[]) {
  const all = conditionsAfter(first);
  const { namespaces, project, states, search } = conditions;
  if (namespaces !== undefined)
    all.add((list) => `t.namespace = ANY (${list}::text[])`, namespaces.map(toPlain));
  if (project !== undefined) all.add((text) => `t.project = ${text}`, toPlain(project));
  if (states !== undefined)
    all.add((list) => `t.state = ANY (${list}::smallint[])`, states.map(stateNumber));
  if (search !== undefined)
    all.add(
      (text) => `(t.suite ILIKE ${text} OR t.name ILIKE ${text})`,
      likePattern(toPlain(search)),
    );
  return all;
}

/** Parts that are read together: some runs of many variants, or many runs. */
const PARTS = 500;

async function readExecutions(read: Read, query: ExecutionQuery) {
  const variants = await variantsOf(read, query);
  const outcome = query.outcome === undefined ? null : outcomeNumber(query.outcome);
  const found: FoundExecution[] = [];
  let total = 0;
  for await (const { run, part, bytes } of partsOf(read, query, [...variants.keys()])) {
    for (const execution of unpackExecutions(part, bytes).toReversed()) {
      const variant = variants.get(execution.variant);
      if (variant === undefined || (outcome ?? execution.outcome) !== execution.outcome) continue;
      const isOnPage = total >= query.offset && found.length < query.limit;
      if (isOnPage) found.push({ ...execution, ...variant, run });
      total += 1;
    }
  }
  return { items: await listedExecutions(read, found), total };
}

interface FoundExecution extends NumberedExecution {
  readonly run: number;
  readonly variantId: string;
  readonly job: string;
}

/** By their numbers. */
async function variantsOf(read: Read, { testId, variantId }: ExecutionConditions) {
  const rows = await read<{ readonly number: number; readonly id: string; readonly job: string }>(
    `SELECT v.id AS number, v.uuid AS id, v.job FROM tests t JOIN test_variants v ON v.test = t.id
     WHERE t.uuid = $1 AND v.uuid = coalesce($2, v.uuid)`,
    [testId, variantId ?? null],
  );
  return new Map(
    rows.map(({ number, id, job }) => [number, { variantId: id, job: fromPlain(job) }]),
  );
}

/** Parts with one of these variants, the newest first. */
async function* partsOf(read: Read, query: ExecutionConditions, variants: readonly number[]) {
  const parts = [...new Set(variants.map(partOf))];
  let [run, part] = [Number.MAX_SAFE_INTEGER, 0];
  for (;;) {
    const { where, values } = runsWhere(query, [run, part, parts, PARTS]);
    const rows = await read<StoredPart & { readonly run: number }>(
      `SELECT e.run, e.part, e.bytes FROM tests t JOIN tested_runs r ON r.namespace = t.namespace AND r.project = t.project
         JOIN execution_parts e ON e.run = r.run
       ${where} AND r.run <= $1 AND (e.run, e.part) < ($1, $2) AND e.part = ANY ($3::bigint[])
       ORDER BY r.run DESC, e.part DESC LIMIT $4`,
      values,
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PARTS) return;
    ({ run, part } = last);
  }
}

function runsWhere(conditions: ExecutionConditions, first: readonly Parameter[]) {
  const all = conditionsAfter(first);
  const { testId, version, branch, since } = conditions;
  all.add((value) => `t.uuid = ${value}`, testId);
  if (version !== undefined) all.add((value) => `r.version = ${value}`, toPlain(version));
  if (branch !== undefined) all.add((value) => `r.branch = ${value}`, toPlain(branch));
  if (since !== undefined) all.add((value) => `r.created_at >= ${value}`, since);
  return all;
}

/** Executions of a run that was removed meanwhile are left out. */
async function listedExecutions(
  read: Read,
  found: readonly FoundExecution[],
): Promise<readonly ListedExecution[]> {
  const runs = await readRuns(read, [...new Set(found.map(({ run }) => run))]);
  const byNumber = new Map(runs.map((run) => [run.run, run]));
  return found.flatMap(({ run: number, variantId, job, attempt, outcome, place, ...times }) => {
    const run = byNumber.get(number);
    if (run === undefined) return [];
    return {
      ...{ variantId, job, attempt, run },
      outcome: outcomeOfNumber(outcome),
      startedMs: (parseTimestamp(run.createdAt) ?? 0) + times.startedMs,
      durationMs: times.durationUs / 1_000,
      place: run.places[place] ?? null,
    };
  });
}

async function readRuns(read: Read, runs: readonly number[]): Promise<readonly TestedRun[]> {
  const rows = await read<StoredTestedRun>(
    `SELECT ${RUN_COLUMNS} FROM tested_runs r WHERE r.run = ANY ($1::bigint[]) ORDER BY r.run`,
    [runs],
  );
  return rows.map(testedRun);
}

/** In the order of runs, so that the oldest go first. */
async function readSurplus(
  read: Read,
  { createdBefore, runsPerName, executions }: HistoryBounds,
  limit: number,
): Promise<readonly number[]> {
  const rows = await read<{ readonly run: number }>(
    `SELECT run FROM (SELECT run, created_at, row_number() OVER (PARTITION BY namespace, name ORDER BY run DESC) AS place,
         sum(executions) OVER (ORDER BY run DESC) AS total FROM tested_runs) t
     WHERE created_at < $1 OR place > $2 OR total > $3 ORDER BY run LIMIT $4`,
    [createdBefore, runsPerName, executions, limit],
  );
  return rows.map(({ run }) => run);
}
