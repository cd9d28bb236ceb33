/** Reads the history of tests. */
import { parseTimestamp, type WorkflowId } from '@tutti/manifests';
import { likePattern } from '../run-query.ts';
import type {
  ExecutionConditions,
  ExecutionQuery,
  HistoryBounds,
  JournalQuery,
  JournalRow,
  KnownVariant,
  ListedExecution,
  ListedTest,
  StoredVariant,
  TestConditions,
  TestedRun,
  TestHistoryReads,
  TestOrder,
  TestQuery,
  UnfoldedRun,
} from '../test-history.ts';
import {
  outcomeNumber,
  outcomeOfNumber,
  stateNumber,
  stateOfNumber,
} from '../test-history-codes.ts';
import type { Parameter } from './connection.ts';
import { fromPlain, fromPlainOrNull, toPlain } from './plain-text.ts';
import type { Read } from './read.ts';

export const createHistoryReader = (read: Read): TestHistoryReads => ({
  ...createFoldingReads(read),
  ...createTestReads(read),
  testExecutions: (query) => readExecutions(read, query),
  async testedRuns(runs: readonly number[]) {
    const rows = await read<StoredTestedRun>(
      `SELECT ${RUN_COLUMNS} FROM tested_runs r WHERE r.run = ANY ($1::bigint[]) ORDER BY r.run`,
      [runs],
    );
    return rows.map(testedRun);
  },
  surplusRuns: (bounds, limit) => readSurplus(read, bounds, limit),
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
    knownVariants: (workflowId: WorkflowId, ids: readonly string[]) =>
      read<KnownVariant>(
        `SELECT v.uuid AS id, l.bytes AS ledger, (SELECT coalesce(max(e.attempt), 0) FROM tested_runs r
             JOIN executions e ON e.run = r.run AND e.variant = v.id WHERE r.workflow_id = $1) AS "lastAttempt"
         FROM test_variants v LEFT JOIN test_ledgers l ON l.variant = v.id WHERE v.uuid = ANY ($2::uuid[])`,
        [workflowId, ids],
      ),
  };
}

const FIGURES = (
  table: string,
) => `${table}.state, ${table}.flake_rate AS "flakeRate", ${table}.failures,
  ${table}.executions, ${table}.duration_ms AS "durationMs", ${table}.last_failed_ms AS "lastFailedMs"`;

const ORDERS = {
  impact: 'impact',
  flakeRate: 'flake_rate',
  failures: 'failures',
  duration: 'duration_ms',
  name: 'suite',
  lastFailed: 'last_failed_ms',
} as const satisfies Record<TestOrder, string>;

const TEST_COLUMNS = `t.uuid AS id, t.namespace, t.project, t.technology, t.suite, t.name, t.impact AS "impactRuns", ${FIGURES('t')},
  (SELECT created_at FROM tested_runs WHERE run = t.first_run) AS "firstSeen",
  (SELECT created_at FROM tested_runs WHERE run = t.last_run) AS "lastSeen",
  (SELECT version FROM tested_runs WHERE run = t.last_run) AS "lastVersion"`;

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
      // As the other database orders: what is unknown comes first.
      const direction = query.isDescending ? 'DESC NULLS LAST' : 'ASC NULLS FIRST';
      const rows = await read<Stored<ListedTest>>(
        `SELECT ${TEST_COLUMNS} FROM tests t ${where}
         ORDER BY t.${ORDERS[query.order]} ${direction}, t.name ${direction}, t.id ${direction} LIMIT $1 OFFSET $2`,
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
      if (found === undefined) return null;
      const variants = await read<Stored<StoredVariant>>(
        `SELECT v.uuid AS id, v.job, v.function, ${FIGURES('v')}, l.bytes AS ledger FROM tests t
           JOIN test_variants v ON v.test = t.id LEFT JOIN test_ledgers l ON l.variant = v.id
         WHERE t.uuid = $1 ORDER BY v.id`,
        [testId],
      );
      return { ...listedTest(found), variants: variants.map(storedVariant) };
    },
    testJournal: ({ testId, limit, offset }: JournalQuery) =>
      read<JournalRow>(
        `SELECT t.uuid AS "testId", j.at_ms AS "atMs", j.kind, j.json, v.uuid AS "variantId" FROM tests t
           JOIN test_journal j ON j.test = t.id LEFT JOIN test_variants v ON v.id = j.variant
         WHERE t.uuid = $1 ORDER BY j.id DESC LIMIT $2 OFFSET $3`,
        [testId, limit, offset],
      ),
  };
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

interface FoundExecution extends StoredTestedRun {
  readonly variantId: string;
  readonly attempt: number;
  readonly outcome: number;
  readonly startedMs: number;
  readonly durationUs: number;
  readonly place: number;
}

async function readExecutions(read: Read, query: ExecutionQuery) {
  const from = `FROM tests t JOIN tested_runs r ON r.namespace = t.namespace AND r.project = t.project
    JOIN test_variants v ON v.test = t.id JOIN executions e ON e.run = r.run AND e.variant = v.id`;
  const page = executionsWhere(query, [query.limit, query.offset]);
  const found = await read<FoundExecution>(
    `SELECT ${RUN_COLUMNS}, v.uuid AS "variantId", e.attempt, e.outcome, e.started_ms AS "startedMs",
       e.duration_us AS "durationUs", e.place ${from} ${page.where}
     ORDER BY r.run DESC, v.id DESC, e.attempt DESC LIMIT $1 OFFSET $2`,
    page.values,
  );
  const all = executionsWhere(query, []);
  const [row] = await read<{ readonly total: number }>(
    `SELECT count(*) AS total ${from} ${all.where}`,
    all.values,
  );
  return { items: found.map(listedExecution), total: row?.total ?? 0 };
}

function listedExecution(found: FoundExecution): ListedExecution {
  const { variantId, attempt, outcome, startedMs, durationUs, place, ...stored } = found;
  const run = testedRun(stored);
  return {
    variantId,
    attempt,
    outcome: outcomeOfNumber(outcome),
    startedMs: (parseTimestamp(run.createdAt) ?? 0) + startedMs,
    durationMs: durationUs / 1_000,
    run,
    place: run.places[place] ?? null,
  };
}

function executionsWhere(conditions: ExecutionConditions, first: readonly Parameter[]) {
  const all = conditionsAfter(first);
  const { testId, variantId, version, branch, outcome, since } = conditions;
  all.add((value) => `t.uuid = ${value}`, testId);
  if (variantId !== undefined) all.add((value) => `v.uuid = ${value}`, variantId);
  if (version !== undefined) all.add((value) => `r.version = ${value}`, toPlain(version));
  if (branch !== undefined) all.add((value) => `r.branch = ${value}`, toPlain(branch));
  if (outcome !== undefined) all.add((value) => `e.outcome = ${value}`, outcomeNumber(outcome));
  if (since !== undefined) all.add((value) => `r.created_at >= ${value}`, since);
  return all;
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
