/** Ends the leftover processes of a job. */

import { KILL_CHECK_MS, KILL_GRACE_MS, LEFTOVERS_MS_MAX } from '../limits.ts';
import { readProcessState, signalGroup } from '../processes/process-group.ts';
import type { Timing } from '../timing.ts';

/** Searches in a row: processes that start others and end are hard to catch otherwise. */
const LOOKS_AT_ONCE = 16;

/**
 * Sends SIGTERM first, then SIGKILL until no process remains. False if some remain after ten seconds.
 *
 * @param find processes of the job, and process groups as negative numbers; zombies do not count
 * @param killAll kills all of them at once, if the system can; may answer a promise
 */
export async function endLeftovers(
  findAll: () => readonly number[],
  killAll: (() => unknown) | null,
  timing: Timing,
): Promise<boolean> {
  const find = () => findAll().filter((id) => id < 0 || !isDead(id));
  const first = find();
  if (first.length === 0) return true;
  for (const pid of first) signal(pid, 'SIGTERM');
  const politeUntil = timing.now() + KILL_GRACE_MS;
  const giveUpAt = timing.now() + LEFTOVERS_MS_MAX;
  while (timing.now() < giveUpAt) {
    const isPolite = timing.now() < politeUntil;
    if (!isPolite && killAll !== null) await killAll();
    for (let look = 0; look < LOOKS_AT_ONCE; look += 1) {
      const left = find();
      if (left.length === 0) return true;
      if (isPolite) break;
      for (const pid of left) signal(pid, 'SIGKILL');
    }
    await timing.wait(KILL_CHECK_MS);
  }
  return find().length === 0;
}

/** Dead, or a zombie. If the system does not say, it counts as alive. */
export const isDead = (pid: number): boolean => readProcessState(pid)?.isDead ?? HAS_STATES;

const HAS_STATES = readProcessState(process.pid) !== null;

/** To the whole group, so that processes that are just starting get the signal, too. */
function signal(pid: number, name: NodeJS.Signals): void {
  if (pid < 0) {
    signalGroup(-pid, name);
    return;
  }
  const groupId = readProcessState(pid)?.groupId;
  if (groupId !== undefined && groupId > 1 && groupId !== readProcessState(process.pid)?.groupId) {
    signalGroup(groupId, name);
  }
  try {
    process.kill(pid, name);
  } catch {
    // The process is gone, or belongs to another user.
  }
}
