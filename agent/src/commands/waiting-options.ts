import type { SpawnOptions } from 'node:child_process';
import type { Environment, Invocation } from './platform.ts';

/** How a process that waits is started, whoever starts it. */
export const waitingOptions = (
  { detached, windowsVerbatimArguments }: Invocation,
  workingDir: string,
  environment: Environment,
): SpawnOptions => ({
  ...{ detached, windowsVerbatimArguments },
  ...{ cwd: workingDir, env: environment, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] },
});
