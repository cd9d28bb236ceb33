/** The program as `scripts/build` puts it into few files. Plain JavaScript, as is all that starts it. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const RECORD = 'built.json';

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

/** The folder of the program, or null where none was built of the sources as they are now. */
export function builtProgram(dist) {
  const record = readRecord(dist);
  if (record === null || !record.sources.every((source) => isUnchanged(dist, source))) return null;
  const folder = join(dist, record.folder);
  return existsSync(folder) ? folder : null;
}

/** What to keep of a file to see later whether it is still the same. */
export function stampOf(dist, path) {
  const { mtimeMs, size } = statSync(`${dist}/${path}`);
  return [path, mtimeMs, size];
}

function isUnchanged(dist, [path, mtimeMs, size]) {
  // Of a thousand paths, joining takes longer than the look at the files.
  const now = statSync(`${dist}/${path}`, { throwIfNoEntry: false });
  return now !== undefined && now.mtimeMs === mtimeMs && now.size === size;
}
