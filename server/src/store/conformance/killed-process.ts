/** Lets another process append to a store, and kills it in the middle. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseWorkflowId, type WorkflowId } from '@tutti/manifests';
import type { StoreTarget } from './store-target.ts';

/** The last append of a run that the killed process saw confirmed. */
export interface Confirmed {
  readonly id: WorkflowId;
  readonly seq: number;
}

/** Kills the process after `killAfter` confirmed appends; answers the appends confirmed by then, by run. */
export async function killWhileAppending(
  target: StoreTarget,
  place: string,
  round: number,
  killAfter: number,
): Promise<ReadonlyMap<string, Confirmed>> {
  const entry = fileURLToPath(new URL('./appending-process.ts', import.meta.url));
  const child = spawn(process.execPath, [entry, target.moduleUrl, place, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const confirmed = new Map<string, Confirmed>();
  let count = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [id, seq] = line.split(' ');
    confirmed.set(id ?? '', { id: parseWorkflowId(id), seq: Number(seq) });
    count += 1;
    // Lines that the process wrote before it died are still read and count as confirmed.
    if (count === killAfter) child.kill('SIGKILL');
  }
  await exited;
  return confirmed;
}
