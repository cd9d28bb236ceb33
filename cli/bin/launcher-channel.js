/** Ends a command with the process that started it for others. Plain JavaScript: older versions of Node read it too. */

/**
 * Set for a command that replaces another process, to the path of the original call. The channel between both
 * (`ipc`) ends with that process, however it ends.
 */
export const STARTED_AGAIN = 'TUTTI_STARTED_AGAIN';

/** Time for a command to end in order. It is longer than an agent lets its command go on. */
const END_WITHIN_MS = 12_000;

/** Ends this process as if a user had asked twice, since nobody is left to ask a second time. */
export function endAlone() {
  const ask = () => process.kill(process.pid, 'SIGTERM');
  setTimeout(ask, END_WITHIN_MS).unref();
  ask();
}
