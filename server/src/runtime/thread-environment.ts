/** The environment of a thread of this process. */
import { getCompileCacheDir } from 'node:module';

/** A thread has no cache of compiled code unless its environment says so; without one it loads the compiler. */
export function threadEnvironment(): NodeJS.ProcessEnv {
  const directory = getCompileCacheDir();
  const cache = directory === undefined ? {} : { NODE_COMPILE_CACHE: directory };
  return { ...process.env, ...cache };
}
