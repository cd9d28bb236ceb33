/** Inboxes of plugins in a process of their own, which count publications. `GET /count` returns number and time of the last. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Delivered } from './inboxes.ts';
import type { ServerNews } from './server-process.ts';

let count = 0;
let lastAtMs = 0;

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    const delivered: Delivered = { count, lastAtMs };
    response.end(JSON.stringify(delivered));
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    count += Array.isArray(body) ? body.length : 1;
    lastAtMs = performance.timeOrigin + performance.now();
    response.end();
  });
});
// A connection that idles between two rounds stays.
server.keepAliveTimeout = 60_000;
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
const news: ServerNews = { kind: 'ready', url: `http://127.0.0.1:${port}`, token: 'none' };
process.send?.(news);
process.once('disconnect', () => process.exit(0));
process.on('message', () => process.exit(0));
