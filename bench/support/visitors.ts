/** Other traffic of a server: users who look, agents that come and go, runs that find no agent. */
import { createClient } from '../../packages/client/src/index.ts';
import { drain, openGet } from './exchange.ts';
import { HttpSocket, requestText } from './http-socket.ts';
import type { ServerProcess } from './server-process.ts';
import { registerAgent } from './synthetic-agent.ts';

const PATHS = [
  '/workflows',
  '/workflows?expand=manifest',
  '/workflows/status',
  '/channels',
  '/subscriptions',
  '/agents',
];

const NOT_TAKEN = JSON.stringify({
  metadata: { name: 'not taken' },
  jobs: { none: { 'runs-on': 'nowhere', steps: [{ run: 'true' }] } },
});

/** One round of all visits; `runId` is an existing run. */
export async function visit(server: ServerProcess, runId: string): Promise<void> {
  for (const path of [...PATHS, `/workflows/${runId}/status`, `/workflows/${runId}/logs`]) {
    await drain(await openGet(server, path));
  }
  await comeAndGo(server);
  const client = createClient({ baseUrl: server.url.href, token: server.token });
  const id = await client.startWorkflow({ manifestText: NOT_TAKEN });
  await client.cancel(id);
}

async function comeAndGo(server: ServerProcess): Promise<void> {
  const socket = new HttpSocket(server.url);
  const visitor = { server, name: 'visitor', tags: ['elsewhere'] };
  const id = await registerAgent(socket, visitor, {
    metadata: {},
    spec: { protocol: 'tutti.v1' },
  });
  const { token } = server;
  await socket.send(requestText({ method: 'DELETE', path: `/agents/${id}`, token }));
  socket.close();
}
