/**
 * The lower limit of an HTTP server for files in a folder, the first argument. GET streams one, or a range of it; PUT stores one,
 * synced to disk before the answer.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ServerNews } from './server-process.ts';

const folder = process.argv[2] ?? '';

const server = createServer(async (request, response) => {
  const path = join(folder, request.url ?? '');
  if (request.method === 'PUT') await store(path, request, response);
  else await give(path, request, response);
});

async function store(path: string, request: IncomingMessage, response: ServerResponse) {
  await pipeline(request, createWriteStream(path, { flush: true }));
  const directory = await open(folder);
  await directory.sync();
  await directory.close();
  response.writeHead(201).end();
}

async function give(path: string, { headers }: IncomingMessage, response: ServerResponse) {
  const { size } = await stat(path);
  const last = /^bytes=-(\d+)$/.exec(headers.range ?? '')?.[1];
  const start = last === undefined ? 0 : size - Number(last);
  response.writeHead(last === undefined ? 200 : 206, { 'Content-Length': size - start });
  await pipeline(createReadStream(path, { start }), response);
}

await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
const news: ServerNews = { kind: 'ready', url: `http://127.0.0.1:${port}`, token: 'none' };
process.send?.(news);
process.once('disconnect', () => process.exit(0));
process.on('message', () => process.exit(0));
