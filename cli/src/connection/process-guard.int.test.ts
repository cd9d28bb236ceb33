import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { guardProcesses } from './process-guard.ts';

/** A process that leads a group of its own. */
function startGroup() {
  const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  if (child.pid === undefined) throw new Error('It did not start.');
  return { child, pid: child.pid };
}

test('running groups are killed when the process ends, and ended ones are left alone', async () => {
  const guard = guardProcesses();
  const groups = [startGroup(), startGroup(), startGroup()] as const;
  const [first, second, third] = groups;
  for (const { pid } of groups) guard.note(pid, 'began');
  guard.note(second.pid, 'ended');
  const ends = Promise.all([once(first.child, 'exit'), once(third.child, 'exit')]);
  guard.close();
  expect(await ends).toEqual([
    [null, 'SIGKILL'],
    [null, 'SIGKILL'],
  ]);
  expect(second.child.exitCode ?? second.child.signalCode).toBeNull();
});
