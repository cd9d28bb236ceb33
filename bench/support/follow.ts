/** Starts a run and follows it to its end, as a user's client does. */
import type { LoggedEvent } from '@tutti/manifests';
import { createClient } from '../../packages/client/src/index.ts';
import type { ServerProcess } from './server-process.ts';

export interface FollowedRun {
  readonly events: readonly LoggedEvent[];
  /** From the request to the news that the run is over. */
  readonly elapsedMs: number;
}

export async function runToEnd(
  { url, token }: ServerProcess,
  workflow: object,
): Promise<FollowedRun> {
  const client = createClient({ baseUrl: url.href, token });
  const start = performance.now();
  const id = await client.startWorkflow({ manifestText: JSON.stringify(workflow) });
  const events: LoggedEvent[] = [];
  for await (const item of client.watch(id)) {
    if (item.type === 'event') events.push(item.event);
    else if (item.type === 'end' && item.status === 'FAILED') throw new Error('The run failed.');
  }
  return { events, elapsedMs: performance.now() - start };
}
