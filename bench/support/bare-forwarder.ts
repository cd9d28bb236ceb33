/** The least that a bus can do: Fastify takes a publication and posts it to one inbox, then answers. Nothing is kept. */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { fastify } from 'fastify';
import type { ServerNews } from './server-process.ts';

const endpoint = new URL('/inbox', process.argv[2]);
const agent = new Agent({ keepAlive: true });
const app = fastify();

app.post('/publications', async ({ body }) => {
  const text = JSON.stringify(body);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
  };
  const sent = request(endpoint, { method: 'POST', agent, headers }).end(text);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  await once(answer, 'end');
  return { status: 'Success' };
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });
const news: ServerNews = { kind: 'ready', url, token: 'none' };
process.send?.(news);
process.once('disconnect', () => process.exit(0));
process.on('message', () => process.exit(0));
