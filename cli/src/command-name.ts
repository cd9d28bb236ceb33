/** How the command was called, so that hints can be typed as they are. */
import { basename, dirname, isAbsolute, relative } from 'node:path';

export interface Invocation {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The path of what Node runs, as it was called: the second of its arguments. */
  readonly script: string;
  readonly cwd: string;
}

/** `npx tutti`, `node cli/bin/tutti.js`, or `tutti` when nothing else is known to work. */
export function commandName({ env, script, cwd }: Invocation): string {
  const isOfNpm = (env.npm_command ?? env.npm_lifecycle_event ?? '') !== '';
  if (isOfNpm || basename(dirname(script)) === '.bin') return 'npx tutti';
  if (basename(script) !== 'tutti.js') return 'tutti';
  const path = relative(cwd, script);
  const isBelow = !path.startsWith('..') && !isAbsolute(path);
  const shown = isBelow ? path : script;
  return /\s/.test(shown) ? `node "${shown}"` : `node ${shown}`;
}

/** Hints are written for `tutti`; this is how they are shown. */
export const asCalled = (hint: string, command: string): string =>
  hint.replace(/(?<=^|["\s])tutti(?= )/g, () => command);
