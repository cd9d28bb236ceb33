/**
 * Measures pauses of a chain of steps while replicas end: the active one is killed, or stopped in order. Runs wait meanwhile for an agent
 * that never comes, so that the next active replica has to load them. There are 10 000 of them, or `TUTTI_BENCH_RUNS`.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installPostgres, PostgresServer } from '../tests/support/postgres-server.ts';
import { ReplicaSet } from '../tests/support/replica-set.ts';
import { ended, oneJob, sh, start } from '../tests/support/runs.ts';
import { installS3Server, S3Server } from '../tests/support/s3-server.ts';
import { Workbench } from '../tests/support/workbench.ts';
import { type BenchmarkContext, repeat, runBenchmark } from './support/benchmark.ts';
import { type Figure, figure } from './support/report.ts';

const REPLICAS = 3;
const RUNS = Number(process.env.TUTTI_BENCH_RUNS ?? '10000');
/** Runs that are begun at a time. */
const AT_A_TIME = 50;
const CHAIN_WITHIN_MS = 300_000;

await runBenchmark('replicas', measure);

async function measure({ folder, scale }: BenchmarkContext): Promise<readonly Figure[]> {
  const [programs, s3Program] = [installPostgres(), await installS3Server()];
  if ('missing' in programs || 'missing' in s3Program) {
    console.log('SKIPPED: it needs PostgreSQL and an S3 server.');
    return [];
  }
  const postgres = await PostgresServer.start(programs.tool);
  const s3 = await S3Server.start(s3Program.tool);
  const bench = await Workbench.open();
  try {
    await s3.createBucket('files');
    const places = { store: await postgres.createDatabase(), blobs: s3.urlOf('files') };
    const set = await ReplicaSet.start(bench, REPLICAS, places);
    const waiting = scale(RUNS, 10);
    for (let begun = 0; begun < waiting; begun += AT_A_TIME) {
      const some = Array.from({ length: Math.min(AT_A_TIME, waiting - begun) });
      const job = { 'runs-on': 'nobody' };
      await Promise.all(some.map(() => start(set.api, oneJob('waits', [sh('true')], job))));
    }
    await bench.agent(set.api, { tags: ['linux'], name: 'agent' });
    const pauses = { set, folder, steps: scale(200, 60) };
    const killed = await repeat(scale(5, 1), (round) => pause(pauses, 'SIGKILL', round));
    const stopped = await repeat(scale(5, 1), (round) => pause(pauses, 'SIGTERM', round));
    await set.close();
    return [
      figure(`longest pause, kill -9, ${waiting} live runs`, killed, 'ms', { atMost: 3_500 }),
      figure(`longest pause, stop, ${waiting} live runs`, stopped, 'ms', { atMost: 500 }),
    ];
  } catch (error) {
    console.log(bench.report());
    throw error;
  } finally {
    await bench.close();
    await s3.remove();
    await postgres.remove();
  }
}

interface Pauses {
  readonly set: ReplicaSet;
  readonly folder: string;
  readonly steps: number;
}

/** The longest time between two steps, of which each writes when it began. */
async function pause(
  { set, folder, steps }: Pauses,
  signal: 'SIGKILL' | 'SIGTERM',
  round: number,
): Promise<number> {
  const file = join(folder, `${signal}-${round}`);
  const all = Array.from({ length: steps }, () => sh(`date +%s%N >> ${file}`));
  const id = await start(set.api, oneJob('chain', all));
  const begun = async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').length;
  while ((await begun()) < steps / 10) await new Promise((resolve) => setTimeout(resolve, 20));
  const active = await set.active();
  await set.endReplica(active, signal);
  await set.startReplica(active);
  const status = await ended(set.api, id, { withinMs: CHAIN_WITHIN_MS });
  if (status !== 'DONE') throw new Error(`The chain ended with ${status}.`);
  const times = (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((text) => Number(text) / 1e6);
  if (times.length !== steps) throw new Error(`${times.length} of ${steps} steps ran.`);
  return Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? time)));
}
