import type { SpawnOptions } from 'node:child_process';
import type { Environment, Invocation } from './platform.ts';

/** Directory, environment and user of a process. */
export interface ProcessPlace {
  readonly workingDir: string;
  readonly environment: Environment;
  /** Absent for the user of the agent. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

/** The options for starting a process in its place. */
export const placeOptions = ({ workingDir, environment, user }: ProcessPlace): SpawnOptions => ({
  cwd: workingDir,
  env: environment,
  ...(user !== undefined && { uid: user.uid, gid: user.gid }),
});

/** The options for a waiting process. */
export const waitingOptions = (
  { detached, windowsVerbatimArguments }: Invocation,
  place: ProcessPlace,
): SpawnOptions => ({
  ...{ detached, windowsVerbatimArguments },
  ...placeOptions(place),
  stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
});
