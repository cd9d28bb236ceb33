/** Runs the tools that make a release. */
import { spawnSync } from 'node:child_process';
import { ROOT } from '../build/bundles.ts';

/** Returns what the command printed. Throws with its errors if it fails. */
export function runTool(command: string, args: readonly string[], cwd = ROOT): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(' ')} failed.\n${error?.message ?? stderr}`);
}
