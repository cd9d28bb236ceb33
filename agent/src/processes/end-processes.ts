/** Ending a command with everything it started. */
import { spawn } from 'node:child_process';
import { KILL_CHECK_MS, KILL_GRACE_MS, KILL_SETTLE_MS } from '../limits.ts';
import type { Timing } from '../timing.ts';
import type { KillMethod } from './platform.ts';
import { isGroupAlive, signalGroup } from './process-group.ts';

/**
 * Resolves when no process of the command remains: after SIGTERM if all heed it, else after SIGKILL 500 ms later. Without
 * processes it does nothing.
 *
 * @param pid of the command's first process, which leads its group
 */
export async function endProcesses(pid: number, method: KillMethod, timing: Timing): Promise<void> {
  if (method.by === 'process-tree') {
    await runToEnd(method.file, method.args(pid));
    return;
  }
  signalGroup(pid, 'SIGTERM');
  if (await isGoneWithin(pid, KILL_GRACE_MS, timing)) return;
  signalGroup(pid, 'SIGKILL');
  await isGoneWithin(pid, KILL_SETTLE_MS, timing);
}

async function isGoneWithin(pid: number, limitMs: number, timing: Timing): Promise<boolean> {
  const giveUpAt = timing.now() + limitMs;
  while (isGroupAlive(pid)) {
    if (timing.now() >= giveUpAt) return false;
    await timing.wait(KILL_CHECK_MS);
  }
  return true;
}

function runToEnd(file: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { stdio: 'ignore', windowsHide: true });
    child.on('error', () => resolve());
    child.on('exit', () => resolve());
  });
}
