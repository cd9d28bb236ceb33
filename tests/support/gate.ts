/** Steps that the test holds, so that it can check the state while they run. */
import { writeFile } from 'node:fs/promises';
import { type Manifest, sh } from './runs.ts';
import type { Workbench } from './workbench.ts';

export interface Gate {
  /** Prints `before`, waits until the gate is open, prints `after`. */
  readonly step: Manifest;
  open(): Promise<void>;
}

export function createGate(bench: Workbench, before = 'held', after = 'free'): Gate {
  const file = bench.path('gate');
  return {
    step: sh(`echo ${before}; until [ -e '${file}' ]; do sleep 0.02; done; echo ${after}`),
    open: () => writeFile(file, ''),
  };
}
