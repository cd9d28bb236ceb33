/** The events of a run, as they are stored: what a database alone has to write for it. */
import { runToEnd } from './follow.ts';
import type { ServerProcess } from './server-process.ts';

export async function eventTexts(
  server: ServerProcess,
  workflow: object,
): Promise<readonly string[]> {
  const { events } = await runToEnd(server, workflow);
  return events.map((event) => JSON.stringify(event));
}
