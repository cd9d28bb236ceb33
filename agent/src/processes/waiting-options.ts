import type { SpawnOptions } from 'node:child_process';
import type { Environment, Invocation } from './platform.ts';

/** Directory and environment of a process. */
export interface ProcessPlace {
  readonly workingDir: string;
  readonly environment: Environment;
}

/** The options for starting a process in its place. */
export const placeOptions = ({ workingDir, environment }: ProcessPlace): SpawnOptions => ({
  cwd: workingDir,
  env: environment,
});

/** The options for a waiting process. */
export const waitingOptions = (
  { detached, windowsVerbatimArguments }: Invocation,
  place: ProcessPlace,
): SpawnOptions => ({
  ...{ detached, windowsVerbatimArguments },
  ...placeOptions(place),
  stdio: ['ignore', 'pipe', 'pipe'],
});
