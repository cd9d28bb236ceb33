/** The engine of a data directory for one command: in this process, or in that of another command. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Io } from '../terminal/io.ts';
import type { Host, HostOptions } from './host.ts';
import { runningServerOf, type ToldServer } from './running-server.ts';

export interface Session {
  readonly url: string;
  readonly token: string;
  /** Null if another process is the host. */
  readonly host: Host | null;
  /** True if the host is a server, which may have started during the wait. */
  readonly isOfServer: boolean;
}

/** A process that holds the lock without an address is starting, ending, or reads for a moment. */
const RETRY_MS = 50;
const PATIENCE_MS = 20_000;

export async function openSession(options: HostOptions, io: Io): Promise<Session> {
  const giveUpAtMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const running = runningServerOf(options.dataDir);
    if (running !== null && !(await isLeft(running))) return guestOf(running, options.dataDir);
    const { isDataDirInUse } = await import('@tutti/server');
    try {
      const { startHost } = await import('./host.ts');
      const host = await startHost(options, io.env);
      return { url: host.url, token: host.token, host, isOfServer: false };
    } catch (error) {
      if (!isDataDirInUse(error) || performance.now() > giveUpAtMs) throw error;
      await pause(RETRY_MS);
    }
  }
}

/**
 * A killed host or server leaves its address behind. Its process id may belong to another process by now, or to one that nobody
 * waited for. So the lock decides whether the directory is free.
 */
async function isLeft({ url }: ToldServer): Promise<boolean> {
  const { isRefused } = await import('./is-refused.ts');
  return await isRefused(url);
}

function guestOf({ url, isLocal }: ToldServer, dataDir: string): Session {
  const token = readFileSync(join(dataDir, 'admin.token'), 'utf8').trim();
  return { url, token, host: null, isOfServer: !isLocal };
}
