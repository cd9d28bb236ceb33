/** Writes the history of tests: parts of runs that are folded. Runs in the transaction of its batch. */
import { parseTimestamp } from '@tutti/manifests';
import type { Client } from 'pg';
import {
  type FoldedEnd,
  type FoldedPart,
  type FoldedVariant,
  JOURNAL_LIMITS,
  type JournalRow,
  type TestedRunFacts,
  type TestHistoryWrite,
} from '../test-history.ts';
import { outcomeNumber, stateNumber, wholeOrNull } from '../test-history-codes.ts';
import { purgeCauses, writeCauses } from './cause-writer.ts';
import { query } from './connection.ts';
import {
  type NumberedExecution,
  packExecutions,
  partOf,
  unpackExecutions,
} from './execution-parts.ts';
import type { PostgresLimits } from './limits.ts';
import { toPlain, toPlainOrNull } from './plain-text.ts';

export async function writeHistory(
  client: Client,
  { begin, part, end, journal = [], remove }: TestHistoryWrite,
  limits: Pick<PostgresLimits, 'purgeRowsMax'>,
): Promise<void> {
  if (begin !== undefined) await beginRun(client, begin);
  if (part !== undefined) await foldPart(client, part);
  if (end !== undefined) await endRun(client, end);
  await note(client, journal);
  if (remove !== undefined) await removeRun(client, remove, limits.purgeRowsMax);
}

/** A folding that was begun goes on. */
async function beginRun(client: Client, facts: TestedRunFacts): Promise<void> {
  const { workflowId, namespace, project, name, version, branch, isMain, createdAt } = facts;
  await query(
    client,
    `INSERT INTO tested_runs (workflow_id, namespace, project, name, version, branch, is_main, created_at, places, mass_jobs)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10
     WHERE NOT EXISTS (SELECT FROM tested_runs WHERE workflow_id = $1 AND NOT is_folded)`,
    [
      workflowId,
      ...[namespace, project, name].map(toPlain),
      ...[version, branch].map(toPlainOrNull),
      ...[isMain, createdAt, JSON.stringify(facts.places), JSON.stringify(facts.massJobs)],
    ],
  );
}

async function foldPart(
  client: Client,
  { run, variants, journal, causes }: FoldedPart,
): Promise<void> {
  await putTests(client, run, variants);
  await putVariants(client, variants);
  await putLedgers(client, variants);
  await putExecutions(client, run, variants);
  await note(client, journal);
  if (causes !== undefined) await writeCauses(client, run, causes);
}

async function putTests(client: Client, run: number, variants: readonly FoldedVariant[]) {
  const tests = [...new Map(variants.map(({ test }) => [test.id, test])).values()];
  await query(
    client,
    `INSERT INTO tests (uuid, namespace, project, technology, suite, name, first_run, last_run)
     SELECT t.*, $7, $7 FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) t
     ON CONFLICT (uuid) DO UPDATE SET last_run = excluded.last_run`,
    [
      tests.map(({ id }) => id),
      tests.map(({ namespace }) => toPlain(namespace)),
      tests.map(({ project }) => toPlain(project)),
      tests.map(({ technology }) => toPlain(technology)),
      tests.map(({ suite }) => toPlain(suite)),
      tests.map(({ name }) => toPlain(name)),
      run,
    ],
  );
}

/** A number that is not used would leave a gap in a part (`execution-parts.ts`). */
async function putVariants(client: Client, variants: readonly FoldedVariant[]): Promise<void> {
  await query(
    client,
    `INSERT INTO test_variants (uuid, test, job, function)
     SELECT v.uuid, t.id, v.job, v.function FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) v(uuid, test, job, function)
       JOIN tests t ON t.uuid = v.test
     WHERE NOT EXISTS (SELECT FROM test_variants k WHERE k.uuid = v.uuid) ON CONFLICT (uuid) DO NOTHING`,
    [
      variants.map(({ variant }) => variant.id),
      variants.map(({ test }) => test.id),
      variants.map(({ variant }) => toPlain(variant.job)),
      variants.map(({ variant }) => toPlain(variant.function)),
    ],
  );
}

async function putLedgers(client: Client, variants: readonly FoldedVariant[]): Promise<void> {
  const folded = variants.flatMap(({ variant, ledger }) =>
    ledger === null ? [] : [{ id: variant.id, ...ledger }],
  );
  if (folded.length === 0) return;
  await query(
    client,
    `UPDATE test_variants v SET state = f.state, flake_rate = f.flake_rate, failures = f.failures, executions = f.executions,
       duration_ms = f.duration_ms, last_failed_ms = coalesce(f.last_failed_ms, v.last_failed_ms)
     FROM unnest($1::uuid[], $2::smallint[], $3::float8[], $4::int[], $5::int[], $6::float8[], $7::bigint[])
       f(uuid, state, flake_rate, failures, executions, duration_ms, last_failed_ms) WHERE v.uuid = f.uuid`,
    [
      folded.map(({ id }) => id),
      folded.map(({ state }) => stateNumber(state)),
      folded.map(({ flakeRate }) => flakeRate),
      folded.map(({ failures }) => failures),
      folded.map(({ executions }) => executions),
      folded.map(({ durationMs }) => durationMs),
      folded.map(({ lastFailedMs }) => wholeOrNull(lastFailedMs)),
    ],
  );
  const ids = folded.map(({ id }) => id);
  await query(
    client,
    `INSERT INTO test_ledgers (variant, bytes)
     SELECT v.id, f.bytes FROM unnest($1::uuid[], $2::bytea[]) f(uuid, bytes) JOIN test_variants v ON v.uuid = f.uuid
     ON CONFLICT (variant) DO UPDATE SET bytes = excluded.bytes`,
    [ids, folded.map(({ bytes }) => Buffer.from(bytes))],
  );
  await query(
    client,
    `UPDATE tests t SET state = s.state, flake_rate = s.flake_rate, failures = s.failures, executions = s.executions,
       duration_ms = s.duration_ms, last_failed_ms = s.last_failed_ms
     FROM (SELECT test, min(state) AS state, max(flake_rate) AS flake_rate, sum(failures) AS failures,
         sum(executions) AS executions, max(duration_ms) AS duration_ms, max(last_failed_ms) AS last_failed_ms
       FROM test_variants WHERE executions > 0 AND test IN (SELECT test FROM test_variants WHERE uuid = ANY ($1::uuid[]))
       GROUP BY test) s
     WHERE t.id = s.test AND (t.state, t.flake_rate, t.failures, t.executions, t.duration_ms, t.last_failed_ms)
       IS DISTINCT FROM (s.state, s.flake_rate, s.failures, s.executions, s.duration_ms, s.last_failed_ms)`,
    [ids],
  );
}

/** Executions that are there already are passed over. */
async function putExecutions(
  client: Client,
  run: number,
  variants: readonly FoldedVariant[],
): Promise<void> {
  const written = variants.reduce((sum, { executions }) => sum + executions.length, 0);
  if (written === 0) return;
  const [stored] = await query<{ readonly createdAt: string }>(
    client,
    'UPDATE tested_runs SET executions = executions + $2 WHERE run = $1 RETURNING created_at AS "createdAt"',
    [run, written],
  );
  const beginMs = parseTimestamp(stored?.createdAt ?? '') ?? 0;
  const { numbers, parts } = await knownParts(client, run, variants);
  for (const { variant: known, executions } of variants) {
    const variant = numbers.get(known.id);
    if (variant === undefined) throw new Error('A variant was written and has no number.');
    const part = parts.get(partOf(variant)) ?? new Map<string, NumberedExecution>();
    parts.set(partOf(variant), part);
    for (const { attempt, outcome, startedMs, durationMs, place } of executions) {
      const key = `${variant} ${attempt}`;
      if (part.has(key)) continue;
      part.set(key, {
        ...{ variant, attempt, place, outcome: outcomeNumber(outcome) },
        startedMs: Math.round(startedMs - beginMs),
        durationUs: Math.round(durationMs * 1_000),
      });
    }
  }
  const all = [...parts];
  await query(
    client,
    `INSERT INTO execution_parts (run, part, bytes) SELECT $1, * FROM unnest($2::bigint[], $3::bytea[])
     ON CONFLICT (run, part) DO UPDATE SET bytes = excluded.bytes`,
    [run, all.map(([part]) => part), all.map(([, each]) => packExecutions([...each.values()]))],
  );
}

/** The numbers of variants, and the executions of their parts that the run has already, by variant and attempt. */
async function knownParts(client: Client, run: number, variants: readonly FoldedVariant[]) {
  const found = await query<{ readonly id: string; readonly number: number }>(
    client,
    'SELECT uuid AS id, id AS number FROM test_variants WHERE uuid = ANY ($1::uuid[])',
    [variants.map(({ variant }) => variant.id)],
  );
  const stored = await query<{ readonly part: number; readonly bytes: Uint8Array }>(
    client,
    'SELECT part, bytes FROM execution_parts WHERE run = $1 AND part = ANY ($2::bigint[])',
    [run, [...new Set(found.map(({ number }) => partOf(number)))]],
  );
  const parts = new Map<number, Map<string, NumberedExecution>>();
  for (const { part, bytes } of stored) {
    const all = unpackExecutions(part, bytes);
    parts.set(part, new Map(all.map((each) => [`${each.variant} ${each.attempt}`, each])));
  }
  return { numbers: new Map(found.map(({ id, number }) => [id, number])), parts };
}

/** The oldest entries of a test leave, but none whose quarantine has an end. */
async function note(client: Client, journal: readonly JournalRow[]): Promise<void> {
  if (journal.length === 0) return;
  const ending = journal.filter(({ untilMs }) => untilMs !== undefined);
  if (ending.length > 0) await endQuarantines(client, ending);
  await query(
    client,
    `INSERT INTO test_journal (at_ms, test, variant, kind, json, until_ms)
     SELECT j.at_ms, t.id, v.id, j.kind, j.json, j.until_ms
     FROM unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::bigint[])
         WITH ORDINALITY j(at_ms, test, variant, kind, json, until_ms, place)
       JOIN tests t ON t.uuid = j.test LEFT JOIN test_variants v ON v.uuid = j.variant ORDER BY j.place`,
    [
      journal.map(({ atMs }) => Math.round(atMs)),
      journal.map(({ testId }) => testId),
      journal.map(({ variantId }) => variantId),
      journal.map(({ kind }) => kind),
      journal.map(({ json }) => json),
      journal.map(({ untilMs }) => wholeOrNull(untilMs)),
    ],
  );
  await query(
    client,
    `DELETE FROM test_journal j USING (SELECT id, (SELECT id FROM test_journal WHERE test = t.id ORDER BY id DESC LIMIT 1 OFFSET $2) AS last
       FROM tests t WHERE uuid = ANY ($1::uuid[])) t WHERE j.test = t.id AND j.id <= t.last AND j.until_ms IS NULL`,
    [[...new Set(journal.map(({ testId }) => testId))], JOURNAL_LIMITS.entries],
  );
}

async function endQuarantines(client: Client, entries: readonly JournalRow[]): Promise<void> {
  await query(
    client,
    `UPDATE test_journal j SET until_ms = NULL
     FROM (SELECT t.id AS test, v.id AS variant FROM unnest($1::uuid[], $2::uuid[]) e(test, variant)
       JOIN tests t ON t.uuid = e.test LEFT JOIN test_variants v ON v.uuid = e.variant) e
     WHERE j.until_ms IS NOT NULL AND j.test = e.test AND j.variant IS NOT DISTINCT FROM e.variant`,
    [entries.map(({ testId }) => testId), entries.map(({ variantId }) => variantId)],
  );
}

async function endRun(client: Client, end: FoldedEnd): Promise<void> {
  const { run, workflowId, mark, onlyFailed } = end;
  await query(
    client,
    'UPDATE tested_runs SET is_folded = true, only_failed = (SELECT id FROM tests WHERE uuid = $2) WHERE run = $1',
    [run, onlyFailed],
  );
  await query(client, 'UPDATE runs SET unfolded = 0 WHERE workflow_id = $1 AND unfolded = $2', [
    workflowId,
    mark,
  ]);
  if (onlyFailed !== null) await query(client, `${COUNT_IMPACT} WHERE uuid = $1`, [onlyFailed]);
}

const COUNT_IMPACT = `UPDATE tests SET impact =
  (SELECT count(DISTINCT workflow_id) FROM tested_runs WHERE only_failed = tests.id)`;

async function removeRun(client: Client, run: number, rowsMax: number): Promise<void> {
  const [removed] = await query<{ readonly count: number }>(
    client,
    `WITH gone AS (DELETE FROM execution_parts WHERE (run, part) IN
       (SELECT run, part FROM execution_parts WHERE run = $1 LIMIT $2) RETURNING 1)
     SELECT count(*) AS count FROM gone`,
    [run, rowsMax],
  );
  if (removed?.count === rowsMax) return;
  const [last] = await query<{ readonly test: number | null }>(
    client,
    'DELETE FROM tested_runs WHERE run = $1 RETURNING only_failed AS test',
    [run],
  );
  if (last?.test != null) await query(client, `${COUNT_IMPACT} WHERE id = $1`, [last.test]);
  await removeTests(client, rowsMax);
  await purgeCauses(client, run, rowsMax);
}

/** Tests that ran in none of the kept runs. */
async function removeTests(client: Client, testsMax: number): Promise<void> {
  await query(
    client,
    `WITH gone AS (DELETE FROM tests WHERE id IN (SELECT id FROM tests
         WHERE last_run < (SELECT coalesce(min(run), 9e15) FROM tested_runs) ORDER BY last_run LIMIT $1) RETURNING id),
       notes AS (DELETE FROM test_journal WHERE test IN (SELECT id FROM gone)),
       variants AS (DELETE FROM test_variants WHERE test IN (SELECT id FROM gone) RETURNING id),
       failed AS (DELETE FROM cause_variants WHERE variant IN (SELECT id FROM variants))
     DELETE FROM test_ledgers WHERE variant IN (SELECT id FROM variants)`,
    [testsMax],
  );
}
