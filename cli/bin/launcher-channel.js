/** How a command ends with the process that started it for others. Plain JavaScript: older versions of Node read it too. */

/**
 * Set for a command that is started in the place of another process, to the path that it was called by; the channel between them
 * (`ipc`) ends with that process, however it ends.
 */
export const STARTED_AGAIN = 'TUTTI_STARTED_AGAIN';

/** A command that was asked to end has so long to do it in order; longer than an agent lets its command go on. */
const END_WITHIN_MS = 12_000;

/** Ends this process as users do who ask twice: nobody is there any more to ask a second time. */
export function endAlone() {
  const ask = () => process.kill(process.pid, 'SIGTERM');
  setTimeout(ask, END_WITHIN_MS).unref();
  ask();
}
