/** Reads causes of failures. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { WorkflowId } from '@tutti/manifests';
import type {
  CauseConditions,
  CauseQuery,
  CauseReads,
  CauseRun,
  CauseVariant,
  KnownCause,
  ListedCause,
  NewCause,
} from '../causes.ts';
import { likePattern } from '../run-query.ts';
import type { PlaceRow } from '../test-history.ts';
import { uuidBytes, uuidOf } from '../test-history-codes.ts';
import { createQueries, prepareQuery, type Reads } from './query.ts';

type Stored<Row> = Omit<Row, 'id'> & { readonly uuid: Uint8Array };

const ofStored = <Row extends { readonly id: string }>({ uuid, ...row }: Stored<Row>) => ({
  id: uuidOf(uuid),
  ...row,
});

const COLUMNS = `c.uuid, c.namespace, c.project, c.title, c.failures, c.since_ms AS sinceMs, c.last_ms AS lastMs,
  (SELECT created_at FROM tested_runs WHERE run = c.first_run) AS firstSeen,
  s.workflow_id AS sinceWorkflowId, s.version AS sinceVersion, l.workflow_id AS lastWorkflowId, l.version AS lastVersion`;
const RUNS =
  'LEFT JOIN tested_runs s ON s.run = c.since_run LEFT JOIN tested_runs l ON l.run = c.last_run';

export function createCauseReader(db: DatabaseSync): Reads<keyof CauseReads> {
  const lists = createQueries<Stored<ListedCause>>(db);
  const counts = createQueries<{ readonly total: number }>(db);
  const known = prepareQuery<Stored<KnownCause>>(
    db,
    `SELECT lower(hex(k.key)) AS key, c.uuid, c.first_failure AS first, c.last_ms AS seenMs, c.since_ms AS sinceMs,
       s.workflow_id AS sinceWorkflowId, (SELECT count(*) FROM cause_keys n WHERE n.cause = c.id) AS keys
     FROM json_each(?) a CROSS JOIN cause_keys k ON k.key = unhex(a.value) CROSS JOIN causes c ON c.id = k.cause
     LEFT JOIN tested_runs s ON s.run = c.since_run LIMIT ?`,
  );
  const one = prepareQuery<Stored<ListedCause> & Pick<NewCause, 'sample'>>(
    db,
    `SELECT ${COLUMNS}, c.sample FROM causes c ${RUNS} WHERE c.uuid = ?`,
  );
  const project = prepareQuery<{ readonly project: string }>(
    db,
    'SELECT project FROM tested_runs WHERE workflow_id = ? ORDER BY run DESC LIMIT 1',
  );
  return {
    runProject: (workflowId: WorkflowId) => project.get(workflowId)?.project ?? null,
    knownCauses: (keys: readonly string[], limit: number) =>
      known.all(JSON.stringify(keys), limit).map(ofStored<KnownCause>),
    causes(query: CauseQuery) {
      const { where, values } = whereOf(query);
      return lists(
        `SELECT ${COLUMNS} FROM causes c ${RUNS} ${where} ORDER BY c.last_run DESC, c.id DESC LIMIT ? OFFSET ?`,
      )
        .all(...values, query.limit, query.offset)
        .map(ofStored<ListedCause>);
    },
    countCauses(conditions: CauseConditions) {
      const { where, values } = whereOf(conditions);
      return counts(`SELECT count(*) AS total FROM causes c ${where}`).get(...values)?.total ?? 0;
    },
    cause(id: string) {
      const found = one.get(uuidBytes(id));
      return found === undefined ? null : ofStored<ListedCause & Pick<NewCause, 'sample'>>(found);
    },
    ...createPartReads(db),
  };
}

function createPartReads(db: DatabaseSync) {
  const variants = prepareQuery<
    Stored<Omit<CauseVariant, 'testId'>> & { readonly test: Uint8Array }
  >(
    db,
    `SELECT v.uuid, v.job, v.function, t.uuid AS test, t.suite, t.name, x.failures FROM causes c
     JOIN cause_variants x ON x.cause = c.id JOIN test_variants v ON v.id = x.variant JOIN tests t ON t.id = v.test
     WHERE c.uuid = ? ORDER BY x.failures DESC, x.last_run DESC, v.id`,
  );
  const runs = prepareQuery<
    Omit<CauseRun, 'place'> & { readonly place: number; readonly places: string }
  >(
    db,
    `SELECT r.workflow_id AS workflowId, r.version, r.branch, r.created_at AS createdAt, r.places, x.place, x.failures
     FROM causes c JOIN cause_runs x ON x.cause = c.id JOIN tested_runs r ON r.run = x.run
     WHERE c.uuid = ? ORDER BY x.run DESC, x.place`,
  );
  return {
    causeVariants: (id: string): readonly CauseVariant[] =>
      variants.all(uuidBytes(id)).map(({ uuid, test, ...row }) => ({
        ...{ id: uuidOf(uuid), testId: uuidOf(test) },
        ...row,
      })),
    causeRuns: (id: string): readonly CauseRun[] =>
      runs.all(uuidBytes(id)).map(({ places, place, ...row }) => {
        const all: readonly PlaceRow[] = JSON.parse(places);
        return { ...row, place: all[place] ?? null };
      }),
  };
}

function whereOf({ namespaces, project, search, sinceMs, testId }: CauseConditions) {
  const conditions: string[] = [];
  const values: SQLInputValue[] = [];
  const add = (condition: string, value: SQLInputValue) => {
    conditions.push(condition);
    values.push(value);
  };
  if (namespaces !== undefined)
    add('c.namespace IN (SELECT value FROM json_each(?))', JSON.stringify(namespaces));
  if (project !== undefined) add('c.project = ?', project);
  if (search !== undefined) add(`c.title LIKE ? ESCAPE '\\'`, likePattern(search));
  if (sinceMs !== undefined) add('c.last_ms >= ?', sinceMs);
  if (testId !== undefined)
    add(
      `c.id IN (SELECT x.cause FROM tests t JOIN test_variants v ON v.test = t.id
         JOIN cause_variants x ON x.variant = v.id WHERE t.uuid = ?)`,
      uuidBytes(testId),
    );
  return { where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`, values };
}
