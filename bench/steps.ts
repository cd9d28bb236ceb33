/**
 * Measures steps per second with 500 instant agents, in jobs of 50 steps. More jobs wait than there are agents. For comparison: the same agents with a server that stores nothing, and the database alone.
 */
import { join } from 'node:path';
import { bareSqliteRate } from './support/bare-sqlite.ts';
import { type BenchmarkContext, repeat, runBenchmark, timed } from './support/benchmark.ts';
import { eventTexts } from './support/event-texts.ts';
import { startRuns } from './support/load.ts';
import { type Figure, figure } from './support/report.ts';
import { RunsInFlight } from './support/runs-in-flight.ts';
import { type ServerProcess, startEntry, startServerProcess } from './support/server-process.ts';
import { StepCount } from './support/step-count.ts';
import { observeWith, startSyntheticAgents } from './support/synthetic-agent.ts';
import { manySteps } from './support/workflows.ts';

const STEPS = 50;
const WORKFLOW = manySteps(STEPS);
const CONNECTIONS = 50;
/** Runs of a commit, in the database alone: as many steps as 500 agents can have on their way. */
const BATCH = 10;
const BARE_EXCHANGE = new URL('./support/bare-exchange.ts', import.meta.url);

await runBenchmark('steps', measure);

async function measure(context: BenchmarkContext): Promise<readonly Figure[]> {
  const agents = context.scale(500, 20);
  const server = await startServerProcess(join(context.folder, 'data'));
  const rates = await stepRates(context, server, agents);
  const { cpuMs } = await server.usage();
  const texts = await textsOfRun(context);
  await server.stop();
  const bare = await startEntry(BARE_EXCHANGE, [String(STEPS)]);
  const bareRates = await stepRates(context, bare, agents);
  await bare.stop();
  const { count, rounds } = sizeOf(context);
  return [
    figure(`steps with ${agents} agents`, rates, 'steps/s', { atLeast: 3_000 }),
    figure('processor time of the server', [(cpuMs * 1000) / (count * rounds)], 'µs/step'),
    figure('bare HTTP', bareRates, 'steps/s'),
    figure('bare SQLite, same events', await sqliteRates(context, texts), 'steps/s'),
  ];
}

function sizeOf({ scale }: BenchmarkContext) {
  return scale({ count: 10_000, rounds: 6 }, { count: 200, rounds: 2 });
}

async function stepRates(
  context: BenchmarkContext,
  server: ServerProcess,
  agents: number,
): Promise<readonly number[]> {
  const { count, rounds } = sizeOf(context);
  const steps = new StepCount();
  const runs = new RunsInFlight(server, WORKFLOW, CONNECTIONS);
  const observer = observeWith(steps.observer, runs.observer);
  await startRuns(server, WORKFLOW, 2 * agents);
  const working = await startSyntheticAgents(agents, { server, observer });
  // The first round, in which the code is still being compiled, does not count.
  const all = await repeat(rounds, async () => {
    const elapsedMs = await timed(() => steps.more(count));
    return (count / elapsedMs) * 1000;
  });
  working.stop();
  runs.close();
  return all.slice(1);
}

/** On a server of its own without other runs. */
async function textsOfRun({ folder }: BenchmarkContext): Promise<readonly string[]> {
  const server = await startServerProcess(join(folder, 'data-events'));
  const agents = await startSyntheticAgents(1, { server });
  const texts = await eventTexts(server, WORKFLOW);
  agents.stop();
  await server.stop();
  return texts;
}

async function sqliteRates(
  { folder, scale }: BenchmarkContext,
  texts: readonly string[],
): Promise<readonly number[]> {
  const size = { runs: scale(200, BATCH), batch: BATCH };
  return repeat(scale(5, 1), async (round) => {
    const runs = bareSqliteRate(join(folder, `bare${round}.db`), texts, size);
    return runs * STEPS;
  });
}
