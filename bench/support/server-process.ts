/** Starts and stops the server that is measured. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { ServerConfigInput } from '../../server/src/runtime/config.ts';
import { pinServer } from './cores.ts';

export type ServerNews =
  | { readonly kind: 'ready'; readonly url: string; readonly token: string }
  | ({ readonly kind: 'usage' } & Usage)
  | { readonly kind: 'live'; readonly heapBytes: number };

export interface Usage {
  readonly rssBytes: number;
  /** Processor time of all threads since the start. */
  readonly cpuMs: number;
}

export interface ServerProcess {
  readonly url: URL;
  /** The administrator's. */
  readonly token: string;
  readonly pid: number;
  usage(): Promise<Usage>;
  /** Heap of the main thread after a full garbage collection. */
  liveHeapBytes(): Promise<number>;
  stop(): Promise<void>;
}

const ENTRY = new URL('./server-entry.ts', import.meta.url);

/** The benchmarks measure the capacity of a server, not its limits; `overload` measures those. */
const UNBOUNDED = { runs: 10_000_000, runsWhenBusy: 10_000_000 };

/**
 * A server on a free port of the loopback interface. With TUTTI_BENCH_PROFILE its processor profile is written into that folder
 * when it stops.
 */
export function startServerProcess(
  dataDir: string,
  options: ServerConfigInput = {},
): Promise<ServerProcess> {
  const config = { dataDir, port: 0, logLevel: 'warn', limits: UNBOUNDED, ...options };
  const profile = process.env.TUTTI_BENCH_PROFILE;
  const flags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  return startServerEntry(ENTRY, [JSON.stringify(config)], flags);
}

/** A program that is measured as a server: where servers have cores of their own, on these. */
export async function startServerEntry(
  ...entry: Parameters<typeof startEntry>
): Promise<ServerProcess> {
  const server = await startEntry(...entry);
  pinServer(server.pid);
  return server;
}

/** Directory of compiled sources for all processes of one benchmark run. */
export const CODE_CACHE_VARIABLE = 'TUTTI_BENCH_CODE_CACHE';

/** As `tutti` does: otherwise, the process has the compiler in memory, which normal second starts do not. */
function entryEnvironment(): NodeJS.ProcessEnv {
  const cache = process.env[CODE_CACHE_VARIABLE];
  return { ...process.env, ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }) };
}

/** Any program that reports the same news. */
export async function startEntry(
  entry: URL,
  args: readonly string[] = [],
  flags: readonly string[] = [],
): Promise<ServerProcess> {
  const child = fork(entry, args, { execArgv: [...flags], env: entryEnvironment() });
  const { url, token } = await news(child, 'ready');
  return {
    url: new URL(url),
    token,
    pid: child.pid ?? 0,
    usage: () => {
      child.send('usage');
      return news(child, 'usage');
    },
    liveHeapBytes: async () => {
      child.send('live');
      return (await news(child, 'live')).heapBytes;
    },
    stop: async () => {
      const exited = once(child, 'exit');
      child.send('stop');
      await exited;
    },
  };
}

function news<Kind extends ServerNews['kind']>(
  child: ChildProcess,
  kind: Kind,
): Promise<Extract<ServerNews, { kind: Kind }>> {
  return new Promise((resolve, reject) => {
    const exited = () => reject(new Error('The server has ended.'));
    const receive = (message: unknown) => {
      const serverNews = message as ServerNews;
      if (serverNews.kind !== kind) return;
      child.off('exit', exited);
      child.off('message', receive);
      // The kind was compared above.
      resolve(serverNews as Extract<ServerNews, { kind: Kind }>);
    };
    child.on('message', receive);
    child.once('exit', exited);
  });
}
