/** Measures the cost of shells without a server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { timed } from './benchmark.ts';

/** Milliseconds that `count` shells take which do nothing, one after the other, their output read through pipes. */
export function spawnShells(count: number): Promise<number> {
  return timed(async () => {
    for (let index = 0; index < count; index += 1) {
      const child = spawn('/bin/sh', ['-c', 'true'], { stdio: ['ignore', 'pipe', 'pipe'] });
      child.stdout.resume();
      child.stderr.resume();
      await once(child, 'close');
    }
  });
}
