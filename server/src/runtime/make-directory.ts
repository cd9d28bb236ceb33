/** Makes missing directories. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** For the server's user alone: logs, manifests and keys lie below. */
const PRIVATE_DIRECTORY = 0o700;

/**
 * Makes a directory and its missing parents, readable by the owner only. Node's own function loops for ever if a parent cannot be
 * made, as in `/proc`. True if it made one. Throws the system's error for the first failure. (The agent has a copy, because it
 * imports nothing of the server.)
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

/** Another process may have made it meanwhile. */
function makeOne(directory: string): void {
  try {
    mkdirSync(directory, { mode: PRIVATE_DIRECTORY });
  } catch (error) {
    if (!isDirectory(directory)) throw error;
  }
}

/** A path that cannot be read counts as no directory. */
function isDirectory(at: string): boolean {
  try {
    return statSync(at).isDirectory();
  } catch {
    return false;
  }
}
