import { execFileSync } from 'node:child_process';

/** Resident memory of a process, from the system's `ps`. */
export function residentMiB(pid: number): number {
  const text = execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return Number(text.trim()) / 1024;
}
