/**
 * How long an agent waits for its next step: from the result of a step to the command of the next one, for 1 and for 50 busy agents.
 * `confirmed` counts from the answer to the result, as a promise to the user does; the command often comes before the answer, as both
 * follow from one commit. `sent` counts from the moment the result was sent, so it holds everything: both ways, the decision and the
 * disk. Agents with steps that take no time are the worst case: they keep the server as busy as it can be.
 */
import { join } from 'node:path';
import { type BenchmarkContext, runBenchmark } from './support/benchmark.ts';
import { startRuns } from './support/load.ts';
import { measureOwnAgent } from './support/own-agent-steps.ts';
import { type Figure, figure, type Promised } from './support/report.ts';
import { startServerProcess } from './support/server-process.ts';
import { quantile } from './support/statistics.ts';
import { StepTimes } from './support/step-times.ts';
import { startSyntheticAgents } from './support/synthetic-agent.ts';
import { manySteps } from './support/workflows.ts';

interface Case {
  readonly what: string;
  readonly agents: number;
  readonly commandMs?: number;
  readonly promised: { readonly p50: Promised; readonly p99: Promised } | null;
}

const PROMISED = { p50: { atMost: 5 }, p99: { atMost: 25 } };
const CASES: readonly Case[] = [
  { what: '1 agent, steps of 0 ms', agents: 1, promised: PROMISED },
  { what: '50 agents, steps of 50 ms', agents: 50, commandMs: 50, promised: PROMISED },
  { what: '50 agents, steps of 0 ms', agents: 50, promised: PROMISED },
];

await runBenchmark('dispatch', measure);

async function measure(context: BenchmarkContext): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [index, each] of CASES.entries()) {
    figures.push(...(await measureCase(context, each, index)));
  }
  return [...figures, ...(await measureOwnAgent(context, PROMISED))];
}

async function measureCase(
  { folder, scale }: BenchmarkContext,
  { what, agents: count, commandMs, promised }: Case,
  index: number,
): Promise<readonly Figure[]> {
  const steps = scale(50, 5);
  const runsPerAgent = scale(count === 1 ? 40 : 10, 1);
  const server = await startServerProcess(join(folder, `data${index}`));
  const times = new StepTimes(count * runsPerAgent);
  const timing = commandMs === undefined ? {} : { commandMs };
  const agents = await startSyntheticAgents(count, { server, observer: times.observer, ...timing });
  await startRuns(server, manySteps(steps), count * runsPerAgent);
  await times.allReleased;
  agents.stop();
  await server.stop();
  // The first fifth, in which the code is still being compiled, does not count.
  const turns = times.turns.slice(Math.floor(times.turns.length / 5));
  const confirmed = turns.map(({ fromConfirmedMs }) => fromConfirmedMs);
  const sent = turns.map(({ fromSentMs }) => fromSentMs);
  return [
    figure(`${what}: confirmed, p50`, [quantile(confirmed, 0.5)], 'ms', promised?.p50),
    figure(`${what}: confirmed, p99`, [quantile(confirmed, 0.99)], 'ms', promised?.p99),
    figure(`${what}: sent, p50`, [quantile(sent, 0.5)], 'ms'),
    figure(`${what}: sent, p99`, [quantile(sent, 0.99)], 'ms'),
  ];
}
