/** The lower limit of an HTTP server of this kind: it parses a body and answers. */
import multipart from '@fastify/multipart';
import { type FastifyRequest, fastify } from 'fastify';
import { parse } from 'yaml';
import type { ServerNews } from './server-process.ts';

const app = fastify();
await app.register(multipart);
app.addContentTypeParser(
  'application/x-yaml',
  { parseAs: 'string' },
  async (_: FastifyRequest, text: string) => parse(text),
);
app.post('/workflows', async (request, reply) => {
  if (request.isMultipart()) await readParts(request);
  reply.code(201);
  return { status: 'Success' };
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });
const news: ServerNews = { kind: 'ready', url, token: 'none' };
process.send?.(news);
process.once('disconnect', () => process.exit(0));
process.on('message', () => process.exit(0));

async function readParts(request: FastifyRequest): Promise<void> {
  for await (const part of request.parts()) {
    if (part.type === 'file') parse((await part.toBuffer()).toString());
  }
}
