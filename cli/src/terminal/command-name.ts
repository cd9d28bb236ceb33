/** The name by which the command was called, so that hints can be typed unchanged. */
import { basename, dirname, isAbsolute, relative } from 'node:path';

export interface Invocation {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Path of the script as it was called: the second argument of Node. */
  readonly script: string;
  readonly cwd: string;
}

/** `npx tutti`, `node cli/bin/tutti.js`, `../clone/node_modules/.bin/tutti`, or `tutti` when nothing else is known to work. */
export function commandName({ env, script, cwd }: Invocation): string {
  const isOfFolder = basename(dirname(script)) === '.bin';
  // Elsewhere, npx would ask the registry for a package of this name.
  if (!isOfFolder && basename(script) !== 'tutti.js') return 'tutti';
  const isOfNpm = (env.npm_command ?? env.npm_lifecycle_event ?? '') !== '';
  if (isOfNpm) return 'npx tutti';
  if (isOfFolder) {
    // `npx` searches the folder that has node_modules, and folders below it.
    return isWithin(cwd, dirname(dirname(dirname(script)))) ? 'npx tutti' : inQuotes(script);
  }
  return `node ${inQuotes(isWithin(script, cwd) ? relative(cwd, script) : script)}`;
}

const inQuotes = (path: string): string => (/\s/.test(path) ? `"${path}"` : path);

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !way.startsWith('..') && !isAbsolute(way);
}

/** Hints are written for `tutti`; this replaces it by the actual call. */
export const asCalled = (hint: string, command: string): string =>
  hint.replace(/(?<=^|["\s])tutti(?= )/g, () => command);
