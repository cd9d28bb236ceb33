/** Where a backup may not be made. */
import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { RecoveryRefusal } from './refusal.ts';

/** Throws RecoveryRefusal where something has that name, and within the data directory. */
export function refuseOutput(output: string, dataDir: string): void {
  if (isThere(output)) {
    throw new RecoveryRefusal(
      `${output} exists already.`,
      'name another output, or remove it if it is not needed any more.',
    );
  }
  // Besides, the server takes what lies in some folders there for its own, and removes it with a run.
  if (isWithin(realPlaceOf(resolve(output)), realPlaceOf(resolve(dataDir)))) {
    throw new RecoveryRefusal(
      `${output} is within the data directory, so it would be lost with it.`,
      'name an output elsewhere with --output, best on another disk.',
    );
  }
}

/** Also what leads nowhere. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Without links, though not all of it may be there yet. */
function realPlaceOf(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const above = dirname(path);
  return above === path ? path : join(realPlaceOf(above), basename(path));
}
