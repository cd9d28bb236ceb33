/**
 * The lower limit of an HTTP server for waiting agents: it gives each an id and holds its requests. `GET /held` returns the
 * number of held requests. The port is the first argument.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServerNews } from './server-process.ts';

const held: ServerResponse[] = [];
let lastAtMs = 0;

const server = createServer((request, response) => {
  if (request.method === 'POST') {
    request.resume();
    const body = JSON.stringify({ details: { uuid: crypto.randomUUID() } });
    response.writeHead(201, { 'Content-Length': body.length }).end(body);
  } else if (request.url === '/held') {
    response.end(JSON.stringify({ count: held.length, lastAtMs }));
  } else {
    held.push(response);
    lastAtMs = performance.timeOrigin + performance.now();
  }
});
await new Promise<void>((resolve) => {
  server.listen({ host: '127.0.0.1', port: Number(process.argv[2]), backlog: 511 }, resolve);
});
const { port } = server.address() as AddressInfo;

function sendNews(news: ServerNews): void {
  process.send?.(news);
}

process.on('message', (command) => {
  if (command === 'stop') process.exit(0);
  const { user, system } = process.cpuUsage();
  sendNews({ kind: 'usage', rssBytes: process.memoryUsage.rss(), cpuMs: (user + system) / 1000 });
});
process.once('disconnect', () => process.exit(0));
sendNews({ kind: 'ready', url: `http://127.0.0.1:${port}`, token: 'none' });
