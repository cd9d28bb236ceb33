/** The least that an HTTP server of this kind can do with a body: parse it, and answer. */
import { fastify } from 'fastify';
import type { ServerNews } from './server-process.ts';

const app = fastify();
app.post('/workflows', async (_request, reply) => {
  reply.code(201);
  return { status: 'Success' };
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });
const news: ServerNews = { kind: 'ready', url, token: 'none' };
process.send?.(news);
process.once('disconnect', () => process.exit(0));
process.on('message', () => process.exit(0));
