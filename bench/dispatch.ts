/**
 * Measures the time from the result of a step to the next command. Has 1, 50 and 500 busy agents, ours and existing ones. `confirmed`
 * counts from the answer to the result, as users see it. The command often comes earlier, since both follow one commit. `sent` counts from
 * the request with the result, so it includes both ways, the decision and the disk. Agents with instant steps are the worst case, because
 * they keep the server busy. For comparison: the same agents with a server that stores and decides nothing. Where there is `taskset`, both
 * servers have one half of the cores, and the agents the other. `server` is the share of one core that all threads of the server used.
 * Steps wait for each other once it is full.
 */
import { join } from 'node:path';
import { type BenchmarkContext, runBenchmark } from './support/benchmark.ts';
import { keepApart } from './support/cores.ts';
import { measureFirstSteps } from './support/existing-agent-firsts.ts';
import { startRuns } from './support/load.ts';
import { measureOwnAgent } from './support/own-agent-steps.ts';
import { type Figure, figure, type Promised } from './support/report.ts';
import {
  type ServerProcess,
  startServerEntry,
  startServerProcess,
} from './support/server-process.ts';
import { quantile } from './support/statistics.ts';
import { StepTimes, type Turn } from './support/step-times.ts';
import { startSyntheticAgent, startSyntheticAgents } from './support/synthetic-agent.ts';
import { startExistingAgent } from './support/synthetic-existing-agent.ts';
import { manySteps } from './support/workflows.ts';

interface Percentiles {
  readonly p50: Promised;
  readonly p99: Promised;
}

interface Case {
  readonly what: string;
  readonly agents: number;
  readonly runsPerAgent: number;
  readonly steps: number;
  readonly commandMs?: () => number;
  readonly start?: typeof startSyntheticAgent;
  readonly confirmed?: Percentiles;
  readonly sent?: Percentiles;
  /** Too busy for a comparison: the agents are the bottleneck. */
  readonly isExtreme?: boolean;
}

const BARE_EXCHANGE = new URL('./support/bare-exchange.ts', import.meta.url);
const PROMISED = { p50: { atMost: 5 }, p99: { atMost: 25 } };
const GOAL = { p50: { atMost: 2 }, p99: { atMost: 10 } };
const CASES: readonly Case[] = [
  {
    what: '1 agent, steps of 0 ms',
    agents: 1,
    runsPerAgent: 40,
    steps: 50,
    confirmed: PROMISED,
  },
  {
    what: '50 agents, steps of 50 ms',
    agents: 50,
    runsPerAgent: 6,
    steps: 50,
    commandMs: () => 50,
    confirmed: PROMISED,
    sent: GOAL,
  },
  {
    // The same steps per second with varied times, like real ones: steps of one length would all end together.
    what: '50 agents, steps of 25 to 75 ms',
    agents: 50,
    runsPerAgent: 6,
    steps: 50,
    commandMs: () => 25 + Math.random() * 50,
    confirmed: PROMISED,
    sent: GOAL,
  },
  {
    what: '50 agents, steps of 0 ms',
    agents: 50,
    runsPerAgent: 6,
    steps: 50,
    confirmed: PROMISED,
    isExtreme: true,
  },
  {
    // The steps per second of 50 agents with steps of 50 ms, with varied times like real ones.
    what: '500 agents, steps of 250 to 750 ms',
    agents: 500,
    runsPerAgent: 1,
    steps: 20,
    commandMs: () => 250 + Math.random() * 500,
  },
  {
    what: '50 existing agents, steps of 50 ms',
    agents: 50,
    runsPerAgent: 3,
    steps: 50,
    commandMs: () => 50,
    start: startExistingAgent,
  },
];

await runBenchmark('dispatch', measure);

async function measure(context: BenchmarkContext): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  console.log(keepApart());
  for (const [index, each] of CASES.entries()) {
    figures.push(...(await measureCase(context, each, index)));
    if (each.isExtreme !== true) figures.push(...(await measureBare(context, each)));
  }
  figures.push(...(await measureFirstSteps(context)));
  return [...figures, ...(await measureOwnAgent(context, PROMISED))];
}

async function measureCase(
  context: BenchmarkContext,
  each: Case,
  index: number,
): Promise<readonly Figure[]> {
  const server = await startServerProcess(join(context.folder, `data${index}`));
  const before = await server.usage();
  const begin = performance.now();
  const turns = await turnsOf(server, each, context);
  const elapsedMs = performance.now() - begin;
  const processorMs = (await server.usage()).cpuMs - before.cpuMs;
  await server.stop();
  const confirmed = turns.map(({ fromConfirmedMs }) => fromConfirmedMs);
  return [
    ...percentiles(`${each.what}: confirmed`, confirmed, each.confirmed),
    ...percentiles(`${each.what}: sent`, sentTimes(turns), each.sent),
    figure(`${each.what}: server`, [(100 * processorMs) / elapsedMs], '% of a core'),
  ];
}

async function measureBare(context: BenchmarkContext, each: Case): Promise<readonly Figure[]> {
  const server = await startServerEntry(BARE_EXCHANGE, [String(stepsOf(each, context))]);
  const runsPerAgent = Math.ceil(each.runsPerAgent / 5);
  const turns = await turnsOf(server, { ...each, runsPerAgent }, context);
  await server.stop();
  return percentiles(`${each.what}: bare HTTP, sent`, sentTimes(turns));
}

function sentTimes(turns: readonly Turn[]): readonly number[] {
  return turns.map(({ fromSentMs }) => fromSentMs);
}

function stepsOf({ steps }: Case, { scale }: BenchmarkContext): number {
  return scale(steps, 5);
}

function percentiles(
  what: string,
  values: readonly number[],
  promised?: Percentiles,
): readonly Figure[] {
  return [
    figure(`${what}, p50`, [quantile(values, 0.5)], 'ms', promised?.p50),
    figure(`${what}, p99`, [quantile(values, 0.99)], 'ms', promised?.p99),
  ];
}

async function turnsOf(
  server: ServerProcess,
  each: Case,
  context: BenchmarkContext,
): Promise<readonly Turn[]> {
  const { agents: count, commandMs, start = startSyntheticAgent } = each;
  const jobs = count * context.scale(each.runsPerAgent, 1);
  const times = new StepTimes(jobs);
  const timing = commandMs === undefined ? {} : { commandMs };
  const agents = await startSyntheticAgents(
    count,
    { server, observer: times.observer, ...timing },
    start,
  );
  await startRuns(server, manySteps(stepsOf(each, context)), jobs);
  await times.allReleased;
  agents.stop();
  // The first fifth, in which the code is still being compiled, does not count.
  return times.turns.slice(Math.floor(times.turns.length / 5));
}
