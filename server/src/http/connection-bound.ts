/**
 * How many connections the process can have: each is an open file of its own, and so are the database, files that are sent and
 * received, and requests to inboxes. At the limit of open files nothing of these could be opened any more, and nobody would say why.
 */
import { readFileSync } from 'node:fs';
import type { Logger } from '../runtime/logger.ts';

/** For what is open besides: modules, database and log take 40, inboxes 64; and some. */
const OTHER_FILES = 160;
/** Of what is left, for connections; a file that is fetched or sent is open beside its connection. */
const SHARE = 0.9;
/** What a server is of no use without. */
const CONNECTIONS_MIN = 10;
/** Enough for some thousands of agents: few need more, and nobody should be warned of what is not missing. */
const CONNECTIONS_ENOUGH = 10_000;

/** What may be open at one time; null where it is not told or without a bound. Node itself asks for all that it may have. */
export function readOpenFilesMax(): number | null {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const [, count] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
    return count === undefined ? null : Number(count);
  } catch {
    return null;
  }
}

export function connectionBound(configured: number, openFilesMax: number | null): number {
  if (openFilesMax === null) return configured;
  const possible = Math.floor(SHARE * (openFilesMax - OTHER_FILES));
  return Math.min(configured, Math.max(CONNECTIONS_MIN, possible));
}

/** The bound that holds; where it is not the configured one, the log says so. */
export function possibleConnections(
  configured: number,
  logger: Logger,
  openFilesMax = readOpenFilesMax(),
): number {
  const connectionsMax = connectionBound(configured, openFilesMax);
  if (connectionsMax < configured) {
    logger[connectionsMax < CONNECTIONS_ENOUGH ? 'warn' : 'info'](
      { openFilesMax, connectionsMax, configured },
      `The server takes ${connectionsMax} connections at one time, not ${configured} (limits.connections), as it may have ${openFilesMax} files open. Raise that limit (ulimit -n, or LimitNOFILE of systemd), or lower limits.connections.`,
    );
  }
  return connectionsMax;
}
