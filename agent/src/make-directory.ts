/** Makes missing directories. */
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes a directory and its missing parents. Node's own function loops for ever if a parent cannot be made, as in `/proc`. Throws the
 * system's error for the first failure.
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

/** Another process may have made it meanwhile. */
function makeOne(directory: string, mode: number): void {
  try {
    mkdirSync(directory, { mode });
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
