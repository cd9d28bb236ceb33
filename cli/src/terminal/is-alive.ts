import { codeOf } from './file-problem.ts';

/** Whether a process with this number runs, of any account. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Of another account.
    return codeOf(error) === 'EPERM';
  }
}
