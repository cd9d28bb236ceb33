/** Ended runs of one step. */
import { getText, type Target } from './exchange.ts';
import { startRuns } from './load.ts';
import { RunsInFlight } from './runs-in-flight.ts';
import type { ServerProcess } from './server-process.ts';
import { startSyntheticAgents } from './synthetic-agent.ts';
import { oneStep } from './workflows.ts';

const AGENTS = 50;

/** Runs this number of runs to their end; resolves with the size of one run's events as JSON, in bytes. */
export async function endRuns(server: ServerProcess, count: number): Promise<number> {
  await startRuns(server, oneStep, count);
  const runs = new RunsInFlight(server, oneStep, 0);
  const ended = runs.ended(count);
  const agents = await startSyntheticAgents(AGENTS, { server, observer: runs.observer });
  await ended;
  agents.stop();
  const { items } = (await details(server, '/workflows')) as { readonly items: readonly string[] };
  const events = await details(server, `/workflows/${items[0]}/status`);
  return Buffer.byteLength(JSON.stringify((events as { readonly items: unknown }).items));
}

async function details(server: Target, path: string): Promise<unknown> {
  return JSON.parse(await getText(server, path)).details;
}
