/** Directories that are made where they are missing. */
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes a directory and those above it, one by one: Node's own way tries for ever where a directory is missing that nobody can
 * make, as in `/proc`. Throws what the system says of the first that cannot be made.
 */
export function makeDirectory(directory: string, mode = 0o777): void {
  const missing: string[] = [];
  let at = path.resolve(directory);
  while (!isDirectory(at) && path.dirname(at) !== at) {
    missing.push(at);
    at = path.dirname(at);
  }
  for (const each of missing.reverse()) makeOne(each, mode);
}

/** Somebody else may have made it meanwhile. */
function makeOne(directory: string, mode: number): void {
  try {
    mkdirSync(directory, { mode });
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
