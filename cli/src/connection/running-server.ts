/** The server of a data directory, from the file that it writes while it runs. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../terminal/file-problem.ts';

export interface AnnouncedServer {
  readonly url: string;
  /** Process id; null if unknown. */
  readonly pid: number | null;
  /** True for the host of one command. */
  readonly isLocal: boolean;
  /** The file of its certificate; null for HTTP. */
  readonly certificate: string | null;
  /** The file of its key. */
  readonly key: string | null;
}

const SERVER_FILE = 'server.json';

/**
 * Whether this process answers questions about the runs of a data directory. No server has the directory, or only the host of a command.
 */
export function answersItself(dataDir: string): boolean {
  const running = runningServerOf(dataDir);
  return running === null ? existsSync(join(dataDir, 'store', 'tutti.db')) : running.isLocal;
}

/** Null if none runs: the file of a killed server does not count. */
export function runningServerOf(dataDir: string): AnnouncedServer | null {
  const known = readAnnounced(join(dataDir, SERVER_FILE));
  return known !== null && (known.pid === null || isAlive(known.pid)) ? known : null;
}

interface AnnouncedEntries {
  readonly url?: unknown;
  readonly pid?: unknown;
  readonly local?: unknown;
  readonly certificate?: unknown;
  readonly key?: unknown;
}

function readAnnounced(file: string): AnnouncedServer | null {
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof content !== 'object' || content === null) return null;
    const { url, pid, local, certificate, key }: AnnouncedEntries = content;
    if (typeof url !== 'string') return null;
    return {
      url,
      pid: typeof pid === 'number' ? pid : null,
      isLocal: local === true,
      certificate: typeof certificate === 'string' ? certificate : null,
      key: typeof key === 'string' ? key : null,
    };
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process belongs to another account.
    return codeOf(error) === 'EPERM';
  }
}
