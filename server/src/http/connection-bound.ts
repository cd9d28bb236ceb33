/**
 * The limit of connections. Each connection is an open file, as are the database, transferred files and requests to inboxes. At
 * the system's limit of open files, all of these would fail without an explanation.
 */
import { readFileSync } from 'node:fs';
import type { Logger } from '../runtime/logger.ts';

/** Files open besides: modules, database and log take 40, inboxes 64; and a reserve. */
const OTHER_FILES = 160;
/** Share of the remaining files for connections; a transferred file is open beside its connection. */
const SHARE = 0.9;
/** The least number of connections for a useful server. */
const CONNECTIONS_MIN = 10;
/** Enough for some thousands of agents: few need more, so a lower limit causes no warning. */
const CONNECTIONS_ENOUGH = 10_000;

/** Limit of open files; null if unknown or unlimited. Node itself raises it to the maximum. */
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

/** The effective limit; a warning is logged if it is below the configured one. */
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
