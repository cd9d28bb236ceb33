/** A server in its own process, for benchmarks. Options are JSON in the first argument; news and commands are messages. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startServer } from '../../server/src/main.ts';
import { loadConfig } from '../../server/src/runtime/config.ts';
import type { ServerNews } from './server-process.ts';

const options = JSON.parse(process.argv[2] ?? '{}');
const server = await startServer(loadConfig({ env: {}, options }));
const token = (await readFile(join(server.dataDir, 'admin.token'), 'utf8')).trim();

function sendNews(news: ServerNews): void {
  process.send?.(news);
}

async function stop(): Promise<void> {
  await server.stop();
  // All work is done; a requested profile is written on exit.
  process.exit(0);
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

process.on('message', (command) => {
  if (command === 'stop') void stop();
  if (command === 'live') {
    collectGarbage();
    sendNews({ kind: 'live', heapBytes: process.memoryUsage().heapUsed });
  }
  if (command === 'usage') {
    const { user, system } = process.cpuUsage();
    const rssBytes = process.memoryUsage.rss();
    sendNews({ kind: 'usage', rssBytes, cpuMs: (user + system) / 1000 });
  }
});
process.once('disconnect', () => void stop());
sendNews({ kind: 'ready', url: server.url, token });
