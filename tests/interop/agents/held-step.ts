/** A step that reports its start to the test. It ends on a signal of the test, or with it. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { eventually } from '../../support/eventually.ts';
import { type Manifest, sh } from '../../support/runs.ts';
import type { Workbench } from '../../support/workbench.ts';
import type { FeatureRun } from '../feature.ts';
import type { Subject } from '../subjects.ts';

export interface HeldStep {
  /** Prints `held`, waits, prints `free`. */
  readonly step: Manifest;
  /** The log has its command before an agent that asks from time to time has got it. */
  begun(): Promise<true>;
  release(): Promise<void>;
}

export function heldStep(bench: Workbench, { context }: FeatureRun<Subject>): HeldStep {
  const [begun, free] = [bench.path('begun'), bench.path('free')];
  const release = () => writeFile(free, '');
  context.onTestFinished(release);
  return {
    step: sh(`echo held; touch '${begun}'; until [ -e '${free}' ]; do sleep 0.05; done; echo free`),
    begun: () => eventually('the beginning of a step', () => existsSync(begun)),
    release,
  };
}
