/**
 * Processes die at any moment, and nothing that was promised is lost or done twice.
 *
 * `TUTTI_CHAOS_SEED` repeats the choices of a run (not its timing), `TUTTI_CHAOS_KILLS` makes it longer.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test } from 'vitest';
import { type Api, itemsOf } from '../support/api.ts';
import { createRandom } from '../support/random.ts';
import { ended } from '../support/runs.ts';
import { Workbench } from '../support/workbench.ts';
import { auditRuns } from './audit.ts';
import { Storm } from './storm.ts';
import { createWorkflow } from './workload.ts';

const KILLS = Number(process.env.TUTTI_CHAOS_KILLS ?? 40);
const SEED = Number(process.env.TUTTI_CHAOS_SEED ?? Date.now() % 2 ** 32);
/** For all runs together: what waits gets its turn within this time after the last kill. */
const ALL_ENDED_WITHIN_MS = 120_000;

/** Other checks explain each failed run. A smaller share of successful runs means that little was tried; mostly it is more than half. */
const DONE_SHARE_MIN = 0.25;

let bench: Workbench | null = null;
let storm: Storm | null = null;

afterEach(async () => {
  await storm?.end();
  await bench?.close();
  bench = null;
  storm = null;
});

async function countLines(file: string): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const line of (await readFile(file, 'utf8')).split('\n')) {
    if (line === '') continue;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return counts;
}

async function allEnded(api: Api, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const deadline = Date.now() + ALL_ENDED_WITHIN_MS;
  const statuses = new Map<string, string>();
  for (const id of ids) {
    statuses.set(id, await ended(api, id, { withinMs: Math.max(0, deadline - Date.now()) }));
  }
  return statuses;
}

function integrityOf(file: string): unknown {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare('PRAGMA integrity_check').all();
  } finally {
    database.close();
  }
}

test(`after ${KILLS} kills every accepted run has ended, and no step ran twice (seed ${SEED})`, async () => {
  bench = await Workbench.open();
  const random = createRandom(SEED);
  const ledgerFile = join(bench.folder, 'ledger');
  const workflow = (index: number) => createWorkflow(random, index, ledgerFile);
  storm = await Storm.gather({
    bench,
    random: createRandom(SEED + 1),
    kills: KILLS,
    workflow,
  });
  const { accepted, kills, ...deaths } = await storm.rage();
  expect(kills).toBeGreaterThanOrEqual(KILLS);
  expect(accepted.length).toBeGreaterThan(KILLS / 4);

  // A run whose acceptance got lost on its way has to end like all others.
  const { server } = storm;
  const known = itemsOf(await server.call('GET', '/workflows')).map(String);
  expect(known).toEqual(expect.arrayContaining([...accepted]));
  const statuses = [...(await allEnded(server, known)).values()];
  const done = statuses.filter((status) => status === 'DONE');
  expect(done.length).toBeGreaterThanOrEqual(known.length * DONE_SHARE_MIN);

  const evidence = { api: server, ledger: await countLines(ledgerFile), ...deaths };
  expect(await auditRuns(evidence, known)).toEqual([]);

  await server.child.kill('SIGTERM');
  expect(integrityOf(join(server.dataDir, 'store', 'tutti.db'))).toEqual([
    { integrity_check: 'ok' },
  ]);
});
