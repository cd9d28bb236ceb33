/** The server of a data directory, as it tells of itself while it runs. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../file-problem.ts';

export interface ToldServer {
  readonly url: string;
  /** Null where it does not tell. */
  readonly pid: number | null;
  /** It is there for the time of one command. */
  readonly isLocal: boolean;
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

function readTold(file: string): ToldServer | null {
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof content !== 'object' || content === null) return null;
    const { url, pid, local }: { url?: unknown; pid?: unknown; local?: unknown } = content;
    if (typeof url !== 'string') return null;
    return { url, pid: typeof pid === 'number' ? pid : null, isLocal: local === true };
  } catch {
    return null;
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Of another account.
    return codeOf(error) === 'EPERM';
  }
}
