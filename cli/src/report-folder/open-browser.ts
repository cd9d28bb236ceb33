/** Opens an address in the browser of the user. */
import { spawn } from 'node:child_process';
import type { Io } from '../terminal/io.ts';

/** Program and arguments; null if no browser can be shown here. */
export function browserCommand(
  address: string,
  env: Io['env'],
  platform: NodeJS.Platform,
): readonly string[] | null {
  // As other programs read it: several in order, of which the first one counts here.
  const [own = ''] = (env.BROWSER ?? '').split(platform === 'win32' ? ';' : ':');
  const words = own.split(' ').filter((word) => word !== '');
  if (words.length > 0) {
    const given = words.map((word) => word.replaceAll('%s', () => address));
    return own.includes('%s') ? given : [...given, address];
  }
  if (platform === 'darwin') return ['open', address];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', address];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open', address] : null;
}

/** Resolves with whether the program started. The browser outlives this process. */
export async function openBrowser(address: string, env: Io['env']): Promise<boolean> {
  const [program, ...words] = browserCommand(address, env, process.platform) ?? [];
  if (program === undefined) return false;
  const child = spawn(program, words, { stdio: 'ignore', detached: true });
  child.unref();
  return await new Promise((resolve) => {
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
  });
}
