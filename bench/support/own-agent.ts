/** A server with one agent of ours, which runs real commands. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerConfigInput } from '../../server/src/runtime/config.ts';
import { type ServerProcess, startEntry, startServerProcess } from './server-process.ts';

const AGENT = new URL('./agent-entry.ts', import.meta.url);

export async function withOwnAgent<T>(
  folder: string,
  work: (server: ServerProcess) => Promise<T>,
  config: ServerConfigInput = {},
): Promise<T> {
  const workspace = join(folder, 'workspace');
  await mkdir(workspace, { recursive: true });
  const server = await startServerProcess(join(folder, 'data'), config);
  const agent = await startEntry(AGENT, [server.url.href, server.token, workspace]);
  try {
    return await work(server);
  } finally {
    await agent.stop();
    await server.stop();
  }
}
