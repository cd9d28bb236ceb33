/** The time from the result of a step to the next command of one agent. */
import { startRuns } from './load.ts';
import type { ServerProcess } from './server-process.ts';
import { quantile } from './statistics.ts';
import { StepTimes } from './step-times.ts';
import { startSyntheticAgent } from './synthetic-agent.ts';
import { manySteps } from './workflows.ts';

/** Its median in milliseconds, over runs of 50 steps. The first fifth, in which the code is still being compiled, does not count. */
export async function nextCommandMs(
  server: Pick<ServerProcess, 'url' | 'token'>,
  runs: number,
): Promise<number> {
  const times = new StepTimes(runs);
  const agent = await startSyntheticAgent({ server, observer: times.observer, name: 'next' });
  await startRuns(server, manySteps(50), runs);
  await times.allReleased;
  agent.stop();
  const later = times.turns.slice(Math.floor(times.turns.length / 5));
  return quantile(
    later.map(({ fromSentMs }) => fromSentMs),
    0.5,
  );
}
