/**
 * Measures what several replicas cost. An agent asks for commands at the active one, and at one that forwards. A run is started at one
 * waiting replica, and its agent asks at another one. Then pauses of a chain of steps while replicas end: the active one is killed, or
 * stopped in order. Runs wait meanwhile for an agent that never comes, so that the next active replica has to load them. There are
 * 10 000 of them, or `TUTTI_BENCH_RUNS`.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installPostgres, PostgresServer } from '../tests/support/postgres-server.ts';
import { ReplicaSet } from '../tests/support/replica-set.ts';
import { ended, oneJob, sh, start } from '../tests/support/runs.ts';
import { installS3Server, S3Server } from '../tests/support/s3-server.ts';
import { type ServerChild, Workbench } from '../tests/support/workbench.ts';
import { type BenchmarkContext, repeat, runBenchmark } from './support/benchmark.ts';
import { FirstSteps } from './support/first-steps.ts';
import { startRuns } from './support/load.ts';
import { nextCommandMs } from './support/next-commands.ts';
import { type Figure, figure } from './support/report.ts';
import { quantile } from './support/statistics.ts';
import { startSyntheticAgent } from './support/synthetic-agent.ts';
import { oneStep } from './support/workflows.ts';

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
    const forwarded = await measureForwarding(set, scale);
    await bench.agent(set.api, { tags: ['linux'], name: 'agent' });
    const pauses = { set, folder, steps: scale(200, 60) };
    const killed = await repeat(scale(5, 1), (round) => pause(pauses, 'SIGKILL', round));
    const stopped = await repeat(scale(5, 1), (round) => pause(pauses, 'SIGTERM', round));
    await set.close();
    return [
      ...forwarded,
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

/** A waiting replica forwards what agents and clients send to it. */
async function measureForwarding(
  set: ReplicaSet,
  scale: BenchmarkContext['scale'],
): Promise<readonly Figure[]> {
  const active = await set.active();
  const [one = 0, another = 0] = [0, 1, 2].filter((index) => index !== active);
  const turns = await repeat(scale(3, 1), async () => [
    await nextCommandMs(targetOf(set.replica(active)), scale(10, 1)),
    await nextCommandMs(targetOf(set.replica(one)), scale(10, 1)),
  ]);
  const firsts = await firstStepsMs(set.replica(one), set.replica(another), scale(300, 10));
  const at = (which: number) => turns.map((each) => each[which] ?? Number.NaN);
  const hops = turns.map(([direct = 0, hop = 0]) => hop - direct);
  const acrossAll = "from 201 to a run's first step, across three replicas";
  return [
    figure("to a step's next command at the active replica: p50", at(0), 'ms'),
    figure('the same at one that forwards: p50', at(1), 'ms'),
    figure('one more hop: p50', hops, 'ms', { atMost: 0.5 }),
    figure(`${acrossAll}: p50`, [quantile(firsts, 0.5)], 'ms', { atMost: 10 }),
    figure(`${acrossAll}: p99`, [quantile(firsts, 0.99)], 'ms', { atMost: 50 }),
  ];
}

function targetOf({ url, token }: ServerChild) {
  return { url: new URL(url), token };
}

/** From the answer to the start of each run to its first command, at another replica. */
async function firstStepsMs(
  startedAt: ServerChild,
  agentAt: ServerChild,
  count: number,
): Promise<readonly number[]> {
  const [from, to] = [targetOf(startedAt), targetOf(agentAt)];
  const steps = new FirstSteps();
  const tags = ['linux'];
  const agent = await startSyntheticAgent({
    server: to,
    observer: steps.observer,
    name: 'first',
    tags,
  });
  const times = await repeat(count, async () => {
    const first = steps.next(1);
    await startRuns(from, oneStep, 1);
    const answeredMs = performance.now();
    const [at = Number.NaN] = await first;
    // The command may be there before the answer.
    return Math.max(0, at - answeredMs);
  });
  agent.stop();
  return times.slice(Math.floor(count / 5));
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
