/** Single questions to a server with much data, with their processor time. */
import { join } from 'node:path';
import { timed } from './benchmark.ts';
import { drain, openGet } from './exchange.ts';
import { type Figure, figure } from './report.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';

/** Retention must not delete what is measured. */
export const FOREVER = { minutes: 1e9, runs: 1e9 };

export const databaseIn = (dataDir: string): string => join(dataDir, 'store', 'tutti.db');

/** Processor time of the server. */
export const processorOf = (server: ServerProcess) => async () => (await server.usage()).cpuMs;

export async function asked(
  server: ServerProcess,
  what: string,
  question: string | { readonly path: string; readonly headers: Readonly<Record<string, string>> },
): Promise<Figure[]> {
  const { path, headers } =
    typeof question === 'string' ? { path: question, headers: {} } : question;
  const processorMs = processorOf(server);
  const before = await processorMs();
  const elapsedMs = await timed(async () => drain(await openGet(server, path, headers)));
  const cost = (await processorMs()) - before;
  return [figure(what, [elapsedMs], 'ms'), figure(`${what}, processor time`, [cost], 'ms')];
}

/** Starts a server on data that is there. */
export async function startOn(dataDir: string) {
  const begin = performance.now();
  const server = await startServerProcess(dataDir, { retention: FOREVER });
  return { server, readyMs: performance.now() - begin };
}
