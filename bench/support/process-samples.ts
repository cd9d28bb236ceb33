/** Samples of a server's use of the machine, from the system and the server itself. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { getText } from './exchange.ts';
import type { ServerProcess } from './server-process.ts';

const MIB = 2 ** 20;

export interface ProcessSample {
  readonly rssMiB: number;
  readonly heapMiB: number;
  /** After a full garbage collection; NaN without one. */
  readonly liveHeapMiB: number;
  /** NaN on systems other than Linux. */
  readonly openFiles: number;
  readonly threads: number;
  readonly databaseMiB: number;
  /** Its free pages are reused. */
  readonly walMiB: number;
}

export async function sampleOf(
  server: ServerProcess,
  dataDir: string,
  isCollected: boolean,
): Promise<ProcessSample> {
  const liveHeapMiB = isCollected ? (await server.liveHeapBytes()) / MIB : Number.NaN;
  const metrics = await getText(server, '/metrics');
  const { rssBytes } = await server.usage();
  const database = join(dataDir, 'store', 'tutti.db');
  return {
    rssMiB: rssBytes / MIB,
    heapMiB: numberIn(metrics, /^nodejs_heap_size_used_bytes (\S+)/m) / MIB,
    liveHeapMiB,
    openFiles: valueFrom(() => readdirSync(`/proc/${server.pid}/fd`).length),
    threads: valueFrom(() =>
      numberIn(readFileSync(`/proc/${server.pid}/status`, 'utf8'), /^Threads:\s+(\d+)/m),
    ),
    databaseMiB: statSync(database).size / MIB,
    walMiB: statSync(`${database}-wal`).size / MIB,
  };
}

const numberIn = (text: string, pattern: RegExp): number =>
  Number(pattern.exec(text)?.[1] ?? Number.NaN);

function valueFrom(read: () => number): number {
  try {
    return read();
  } catch {
    return Number.NaN;
  }
}
