import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Resident memory of a process, from the system's `ps`. */
export function residentMiB(pid: number): number {
  const text = execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return Number(text.trim()) / 1024;
}

/**
 * Memory of a process and all below it. A page that several processes share counts in parts. NaN on systems other than Linux.
 */
export function proportionalMiB(root: number): number {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const parents = rows.map((row) => row.trim().split(/\s+/).map(Number));
  const below = (pid: number): readonly number[] => [
    pid,
    ...parents.flatMap(([child = 0, parent]) => (parent === pid ? below(child) : [])),
  ];
  return below(root).reduce((sum, pid) => sum + proportionalKiB(pid), 0) / 1024;
}

function proportionalKiB(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? Number.NaN);
  } catch {
    // A shell may have ended since.
    return existsSync('/proc/self/smaps_rollup') ? 0 : Number.NaN;
  }
}
