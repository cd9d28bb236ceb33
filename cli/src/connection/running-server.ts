/** The server of a data directory, as it tells of itself while it runs. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../terminal/file-problem.ts';

export interface ToldServer {
  readonly url: string;
  /** Null where it does not tell. */
  readonly pid: number | null;
  /** It is there for the time of one command. */
  readonly isLocal: boolean;
  /** The file of its certificate; null where it speaks HTTP. */
  readonly certificate: string | null;
  /** The file of the key of that. */
  readonly key: string | null;
}

const SERVER_FILE = 'server.json';

/** Whether questions about the runs of a data directory need no server: none has it, or one for the time of a command. */
export function answersItself(dataDir: string): boolean {
  const running = runningServerOf(dataDir);
  return running === null ? existsSync(join(dataDir, 'store', 'tutti.db')) : running.isLocal;
}

/** Null when none runs: what a killed one has left says nothing. */
export function runningServerOf(dataDir: string): ToldServer | null {
  const told = readTold(join(dataDir, SERVER_FILE));
  return told !== null && (told.pid === null || isAlive(told.pid)) ? told : null;
}

interface ToldEntries {
  readonly url?: unknown;
  readonly pid?: unknown;
  readonly local?: unknown;
  readonly certificate?: unknown;
  readonly key?: unknown;
}

function readTold(file: string): ToldServer | null {
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof content !== 'object' || content === null) return null;
    const { url, pid, local, certificate, key }: ToldEntries = content;
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
    // Of another account.
    return codeOf(error) === 'EPERM';
  }
}
