/** Reads causes of failures. */
import type {
  CauseConditions,
  CauseReads,
  CauseRun,
  CauseVariant,
  KnownCause,
  ListedCause,
  NewCause,
} from '../causes.ts';
import { likePattern } from '../run-query.ts';
import type { PlaceRow } from '../test-history.ts';
import type { Parameter } from './connection.ts';
import { fromPlain, fromPlainOrNull, toPlain } from './plain-text.ts';
import type { Read } from './read.ts';

const COLUMNS = `c.uuid AS id, c.namespace, c.project, c.title, c.failures, c.since_ms AS "sinceMs", c.last_ms AS "lastMs",
  (SELECT created_at FROM tested_runs WHERE run = c.first_run) AS "firstSeen",
  s.workflow_id AS "sinceWorkflowId", s.version AS "sinceVersion", l.workflow_id AS "lastWorkflowId", l.version AS "lastVersion"`;
const RUNS =
  'LEFT JOIN tested_runs s ON s.run = c.since_run LEFT JOIN tested_runs l ON l.run = c.last_run';

export const createCauseReader = (read: Read): CauseReads => ({
  async runProject(workflowId) {
    const [found] = await read<{ readonly project: string }>(
      'SELECT project FROM tested_runs WHERE workflow_id = $1 ORDER BY run DESC LIMIT 1',
      [workflowId],
    );
    return found === undefined ? null : fromPlain(found.project);
  },
  knownCauses: (keys, limit) =>
    read<KnownCause>(
      `SELECT encode(k.key, 'hex') AS key, c.uuid AS id, c.first_failure AS first, c.last_ms AS "seenMs", c.since_ms AS "sinceMs",
         s.workflow_id AS "sinceWorkflowId", (SELECT count(*) FROM cause_keys n WHERE n.cause = c.id) AS keys
       FROM (SELECT DISTINCT decode(t.hex, 'hex') AS key FROM unnest($1::text[]) t(hex)) a JOIN cause_keys k ON k.key = a.key
         JOIN causes c ON c.id = k.cause LEFT JOIN tested_runs s ON s.run = c.since_run LIMIT $2`,
      [keys, limit],
    ),
  async causes(query) {
    const { where, values } = whereOf(query, [query.limit, query.offset]);
    const rows = await read<ListedCause>(
      `SELECT ${COLUMNS} FROM causes c ${RUNS} ${where} ORDER BY c.last_run DESC, c.id DESC LIMIT $1 OFFSET $2`,
      values,
    );
    return rows.map(listedCause);
  },
  async countCauses(conditions) {
    const { where, values } = whereOf(conditions, []);
    const [row] = await read<{ readonly total: number }>(
      `SELECT count(*) AS total FROM causes c ${where}`,
      values,
    );
    return row?.total ?? 0;
  },
  async cause(id) {
    const [found] = await read<ListedCause & Pick<NewCause, 'sample'>>(
      `SELECT ${COLUMNS}, c.sample FROM causes c ${RUNS} WHERE c.uuid = $1`,
      [id],
    );
    return found === undefined ? null : { ...listedCause(found), sample: fromPlain(found.sample) };
  },
  causeVariants: (id) => readVariants(read, id),
  causeRuns: (id) => readRuns(read, id),
});

const listedCause = (stored: ListedCause): ListedCause => ({
  ...stored,
  namespace: fromPlain(stored.namespace),
  project: fromPlain(stored.project),
  title: fromPlain(stored.title),
  sinceVersion: fromPlainOrNull(stored.sinceVersion),
  lastVersion: fromPlainOrNull(stored.lastVersion),
});

async function readVariants(read: Read, id: string): Promise<readonly CauseVariant[]> {
  const rows = await read<CauseVariant>(
    `SELECT v.uuid AS id, v.job, v.function, t.uuid AS "testId", t.suite, t.name, x.failures FROM causes c
       JOIN cause_variants x ON x.cause = c.id JOIN test_variants v ON v.id = x.variant JOIN tests t ON t.id = v.test
     WHERE c.uuid = $1 ORDER BY x.failures DESC, x.last_run DESC, v.id`,
    [id],
  );
  return rows.map((row) => ({
    ...row,
    job: fromPlain(row.job),
    function: fromPlain(row.function),
    suite: fromPlain(row.suite),
    name: fromPlain(row.name),
  }));
}

async function readRuns(read: Read, id: string): Promise<readonly CauseRun[]> {
  const rows = await read<
    Omit<CauseRun, 'place'> & { readonly place: number; readonly places: string }
  >(
    `SELECT r.workflow_id AS "workflowId", r.version, r.branch, r.created_at AS "createdAt", r.places, x.place, x.failures
     FROM causes c JOIN cause_runs x ON x.cause = c.id JOIN tested_runs r ON r.run = x.run
     WHERE c.uuid = $1 ORDER BY x.run DESC, x.place`,
    [id],
  );
  return rows.map(({ places, place, ...row }) => {
    const all: readonly PlaceRow[] = JSON.parse(places);
    return {
      ...row,
      version: fromPlainOrNull(row.version),
      branch: fromPlainOrNull(row.branch),
      place: all[place] ?? null,
    };
  });
}

function whereOf(
  { namespaces, project, search, sinceMs, testId }: CauseConditions,
  first: readonly Parameter[],
) {
  const texts: string[] = [];
  const values: Parameter[] = [...first];
  const add = (condition: (place: string) => string, value: Parameter) => {
    values.push(value);
    texts.push(condition(`$${values.length}`));
  };
  if (namespaces !== undefined)
    add((list) => `c.namespace = ANY (${list}::text[])`, namespaces.map(toPlain));
  if (project !== undefined) add((text) => `c.project = ${text}`, toPlain(project));
  if (search !== undefined) add((text) => `c.title ILIKE ${text}`, likePattern(toPlain(search)));
  if (sinceMs !== undefined) add((ms) => `c.last_ms >= ${ms}`, sinceMs);
  if (testId !== undefined)
    add(
      (id) => `c.id IN (SELECT x.cause FROM tests t JOIN test_variants v ON v.test = t.id
         JOIN cause_variants x ON x.variant = v.id WHERE t.uuid = ${id})`,
      testId,
    );
  return { where: texts.length === 0 ? '' : `WHERE ${texts.join(' AND ')}`, values };
}
