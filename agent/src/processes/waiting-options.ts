import type { SpawnOptions } from 'node:child_process';
import type { Environment, Invocation } from './platform.ts';

/** Where and as whom a process runs. */
export interface ProcessPlace {
  readonly workingDir: string;
  readonly environment: Environment;
  /** Absent for the user of the agent. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

/** How a process is started, whoever starts it. */
export const placeOptions = ({ workingDir, environment, user }: ProcessPlace): SpawnOptions => ({
  cwd: workingDir,
  env: environment,
  ...(user !== undefined && { uid: user.uid, gid: user.gid }),
});

/** The same for one that waits. */
export const waitingOptions = (
  { detached, windowsVerbatimArguments }: Invocation,
  place: ProcessPlace,
): SpawnOptions => ({
  ...{ detached, windowsVerbatimArguments },
  ...placeOptions(place),
  stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
});
