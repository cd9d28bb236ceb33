/** Ends what a job left running. */

import { KILL_CHECK_MS, KILL_GRACE_MS, LEFTOVERS_MS_MAX } from '../limits.ts';
import { readProcessState, signalGroup } from '../processes/process-group.ts';
import type { Timing } from '../timing.ts';

/** Looks in one go: who starts others and ends is hard to meet otherwise. */
const LOOKS_AT_ONCE = 16;

/**
 * A polite signal first, then SIGKILL until nothing is left. False when something is left all the same, after ten seconds.
 *
 * @param find processes of the job, and process groups as negative numbers; dead ones that nobody collects do not count
 * @param killAll ends all of them at once, where there is such a thing
 */
export async function endLeftovers(
  findAll: () => readonly number[],
  killAll: (() => void) | null,
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
    if (!isPolite && killAll !== null) killAll();
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

/** Gone, or not collected. Where nothing tells, it is taken to be there. */
const isDead = (pid: number): boolean => readProcessState(pid)?.isDead ?? HAS_STATES;

const HAS_STATES = readProcessState(process.pid) !== null;

/** To the whole group: what is just being started in it gets the signal, too. */
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
    // It is gone, or that of another user.
  }
}
