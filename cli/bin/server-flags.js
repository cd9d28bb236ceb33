/** How V8 runs a server. Plain JavaScript: older versions of Node read it too. */
import { setFlagsFromString } from 'node:v8';

/**
 * To be called before the cache of compiled code is opened, which has a folder for each set of flags, and before there is another
 * thread: flags belong to all of them. What becomes of these stands in `startup-memory.ts` of the server.
 */
export function setServerFlags() {
  // Threads and contexts that are made from now on can collect their garbage.
  setFlagsFromString('--expose-gc');
  // Nothing of a start runs long enough to be worth optimizing, and the compilers take 8 MiB once they ran.
  setFlagsFromString('--maglev-filter=-*');
  setFlagsFromString('--turbo-filter=-*');
}
