/** Writes causes of failures. Runs in the transaction of its part. */
import type { Client } from 'pg';
import type { CauseBounds, FoldedCause, FoldedCauses } from '../causes.ts';
import { query } from './connection.ts';
import { toPlain } from './plain-text.ts';

export async function writeCauses(
  client: Client,
  run: number,
  { bounds, items }: FoldedCauses,
): Promise<void> {
  if (items.length === 0) return;
  await makeCauses(client, run, items);
  await query(
    client,
    `UPDATE causes c SET last_run = greatest(c.last_run, $1), last_ms = greatest(c.last_ms, f.at_ms), failures = c.failures + f.failures,
       since_run = CASE WHEN f.is_new THEN $1 ELSE c.since_run END, since_ms = CASE WHEN f.is_new THEN f.at_ms ELSE c.since_ms END
     FROM unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::boolean[]) f(uuid, at_ms, failures, is_new) WHERE c.uuid = f.uuid`,
    [
      run,
      items.map(({ id }) => id),
      items.map(({ atMs }) => atMs),
      items.map(({ failures }) => failures.reduce((sum, { count }) => sum + count, 0)),
      items.map(({ isNew }) => isNew),
    ],
  );
  const keys = items.flatMap(({ id, keys }) => keys.map((key) => ({ id, key })));
  await query(
    client,
    `INSERT INTO cause_keys (key, cause) SELECT DISTINCT decode(k.key, 'hex'), c.id
     FROM unnest($1::uuid[], $2::text[]) k(uuid, key) JOIN causes c ON c.uuid = k.uuid ON CONFLICT DO NOTHING`,
    [keys.map(({ id }) => id), keys.map(({ key }) => key)],
  );
  await countFailures(client, run, items);
  await cutParts(client, items, bounds);
  const made = items.flatMap((item) => item.made ?? []);
  if (made.length > 0) {
    await removeSurplus(client, [...new Set(made.map(({ namespace }) => namespace))], bounds);
  }
}

async function makeCauses(
  client: Client,
  run: number,
  items: readonly FoldedCause[],
): Promise<void> {
  const all = items.flatMap(({ id, made, atMs }) => (made === null ? [] : { id, atMs, ...made }));
  if (all.length === 0) return;
  await query(
    client,
    `INSERT INTO causes (uuid, namespace, project, title, sample, first_failure, first_run, since_run, last_run, since_ms, last_ms)
     SELECT c.uuid, c.namespace, c.project, c.title, c.sample, c.first, $1, $1, $1, c.at_ms, c.at_ms
     FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[])
       WITH ORDINALITY c(uuid, namespace, project, title, sample, first, at_ms, place) ORDER BY c.place
     ON CONFLICT (uuid) DO NOTHING`,
    [
      run,
      all.map(({ id }) => id),
      all.map(({ namespace }) => toPlain(namespace)),
      all.map(({ project }) => toPlain(project)),
      all.map(({ title }) => toPlain(title)),
      all.map(({ sample }) => toPlain(sample)),
      all.map(({ first }) => first),
      all.map(({ atMs }) => atMs),
    ],
  );
}

/** Rows of one statement must not meet, so failures of one variant, or place, are added up. */
async function countFailures(
  client: Client,
  run: number,
  items: readonly FoldedCause[],
): Promise<void> {
  const failures = items.flatMap(({ id, failures }) => failures.map((each) => ({ id, ...each })));
  const ids = failures.map(({ id }) => id);
  const counts = failures.map(({ count }) => count);
  await query(
    client,
    `INSERT INTO cause_variants (cause, variant, failures, last_run)
     SELECT c.id, v.id, sum(f.failures), $1 FROM unnest($2::uuid[], $3::uuid[], $4::int[]) f(cause, variant, failures)
       JOIN causes c ON c.uuid = f.cause JOIN test_variants v ON v.uuid = f.variant GROUP BY c.id, v.id
     ON CONFLICT (cause, variant) DO UPDATE SET failures = cause_variants.failures + excluded.failures,
       last_run = greatest(cause_variants.last_run, excluded.last_run)`,
    [run, ids, failures.map(({ variantId }) => variantId), counts],
  );
  await query(
    client,
    `INSERT INTO cause_runs (cause, run, place, failures)
     SELECT c.id, $1, f.place, sum(f.failures) FROM unnest($2::uuid[], $3::int[], $4::int[]) f(cause, place, failures)
       JOIN causes c ON c.uuid = f.cause GROUP BY c.id, f.place
     ON CONFLICT (cause, run, place) DO UPDATE SET failures = cause_runs.failures + excluded.failures`,
    [run, ids, failures.map(({ place }) => place), counts],
  );
}

async function cutParts(
  client: Client,
  items: readonly FoldedCause[],
  { variants, runs }: CauseBounds,
): Promise<void> {
  const ids = items.map(({ id }) => id);
  await query(
    client,
    `DELETE FROM cause_variants d USING (SELECT x.cause, x.variant,
         row_number() OVER (PARTITION BY x.cause ORDER BY x.last_run DESC, x.failures DESC, x.variant) AS place
       FROM cause_variants x JOIN causes c ON c.id = x.cause WHERE c.uuid = ANY ($1::uuid[])) s
     WHERE s.place > $2 AND d.cause = s.cause AND d.variant = s.variant`,
    [ids, variants],
  );
  await query(
    client,
    `DELETE FROM cause_runs d USING (SELECT x.cause, x.run, x.place,
         row_number() OVER (PARTITION BY x.cause ORDER BY x.run DESC, x.failures DESC, x.place) AS number
       FROM cause_runs x JOIN causes c ON c.id = x.cause WHERE c.uuid = ANY ($1::uuid[])) s
     WHERE s.number > $2 AND d.cause = s.cause AND d.run = s.run AND d.place = s.place`,
    [ids, runs],
  );
}

/** The causes that failed longest ago. */
async function removeSurplus(
  client: Client,
  namespaces: readonly string[],
  { perNamespace, all }: CauseBounds,
): Promise<void> {
  for (const namespace of namespaces) {
    await removeCauses(
      client,
      'SELECT id FROM causes WHERE namespace = $1 ORDER BY last_run DESC, id DESC OFFSET $2',
      [toPlain(namespace), perNamespace],
    );
  }
  await removeCauses(client, 'SELECT id FROM causes ORDER BY last_run DESC, id DESC OFFSET $1', [
    all,
  ]);
}

async function removeCauses(
  client: Client,
  chosen: string,
  values: readonly (string | number)[],
): Promise<void> {
  await query(
    client,
    `WITH gone AS (DELETE FROM causes WHERE id IN (${chosen}) RETURNING id),
       keys AS (DELETE FROM cause_keys WHERE cause IN (SELECT id FROM gone)),
       variants AS (DELETE FROM cause_variants WHERE cause IN (SELECT id FROM gone))
     DELETE FROM cause_runs WHERE cause IN (SELECT id FROM gone)`,
    values,
  );
}

/** Removes the failures of a run that leaves, and causes that are in none of the kept runs. */
export async function purgeCauses(client: Client, run: number, causesMax: number): Promise<void> {
  await query(client, 'DELETE FROM cause_runs WHERE run = $1', [run]);
  await removeCauses(
    client,
    `SELECT id FROM causes WHERE last_run < (SELECT coalesce(min(run), 9e15) FROM tested_runs) ORDER BY last_run LIMIT $1`,
    [causesMax],
  );
}
