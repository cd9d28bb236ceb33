/** The program as `scripts/build` puts it into few files. Plain JavaScript, as is all that starts it. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const RECORD = 'built.json';
const ENTRY = 'main.js';

/** What was built last: its folder, and each file that it was made of with its time and size. Null where nothing was. */
export function readRecord(dist) {
  try {
    return JSON.parse(readFileSync(join(dist, RECORD), 'utf8'));
  } catch {
    return null;
  }
}

/** Where the record of a build belongs. */
export const recordIn = (dist) => join(dist, RECORD);

/** The path of the program, or null where none was built of the sources as they are now. */
export function builtProgram(dist) {
  const record = readRecord(dist);
  if (record === null || !record.sources.every((source) => isUnchanged(dist, source))) return null;
  const entry = join(dist, record.folder, ENTRY);
  return existsSync(entry) ? entry : null;
}

/** What to keep of a file to see later whether it is still the same. */
export function stampOf(dist, path) {
  const { mtimeMs, size } = statSync(join(dist, path));
  return [path, mtimeMs, size];
}

function isUnchanged(dist, [path, mtimeMs, size]) {
  const now = statSync(join(dist, path), { throwIfNoEntry: false });
  return now !== undefined && now.mtimeMs === mtimeMs && now.size === size;
}
