/** The stored events of a run: the writes of a database alone. */
import { runToEnd } from './follow.ts';
import type { ServerProcess } from './server-process.ts';

export async function eventTexts(
  server: ServerProcess,
  workflow: object,
): Promise<readonly string[]> {
  const { events } = await runToEnd(server, workflow);
  return events.map((event) => JSON.stringify(event));
}
