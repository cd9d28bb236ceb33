/** Directories that are made where they are missing. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** For the server's user alone: logs, manifests and keys lie below. */
const PRIVATE_DIRECTORY = 0o700;

/**
 * Makes a directory and those above it, one by one, readable by their owner only: Node's own way tries for ever where a directory
 * is missing that nobody can make, as in `/proc`. True when it had to be made. Throws what the system says of the first that cannot
 * be made. (The agent, which imports nothing of the server, has the like.)
 */
export function makeDirectory(directory: string): boolean {
  const missing: string[] = [];
  let at = resolve(directory);
  while (!isDirectory(at) && dirname(at) !== at) {
    missing.push(at);
    at = dirname(at);
  }
  for (const each of missing.reverse()) makeOne(each);
  return missing.length > 0;
}

/** Somebody else may have made it meanwhile. */
function makeOne(directory: string): void {
  try {
    mkdirSync(directory, { mode: PRIVATE_DIRECTORY });
  } catch (error) {
    if (!isDirectory(directory)) throw error;
  }
}

/** What cannot be looked at is none. */
function isDirectory(at: string): boolean {
  try {
    return statSync(at).isDirectory();
  } catch {
    return false;
  }
}
