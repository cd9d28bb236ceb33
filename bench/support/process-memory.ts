import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Resident memory of a process, from the system's `ps`. */
export function residentMiB(pid: number): number {
  const text = execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return Number(text.trim()) / 1024;
}

/**
 * Memory of a process and all below it, as a machine without other processes gives it. A page that several of them share counts once. NaN
 * on systems other than Linux.
 */
export function familyMiB(root: number): number {
  if (!existsSync('/proc/self/smaps_rollup')) return Number.NaN;
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const parents = rows.map((row) => row.trim().split(/\s+/).map(Number));
  const below = (pid: number): readonly number[] => [
    pid,
    ...parents.flatMap(([child = 0, parent]) => (parent === pid ? below(child) : [])),
  ];
  const files = new Map<string, number>();
  let ownKiB = 0;
  for (const pid of below(root)) {
    const { anonymousKiB, fileKiB } = mappedBy(pid);
    ownKiB += anonymousKiB;
    // Nearly all of what one process has of a program, the others have, too.
    for (const [file, kib] of fileKiB) files.set(file, Math.max(files.get(file) ?? 0, kib));
  }
  return [...files.values()].reduce((sum, kib) => sum + kib, ownKiB) / 1024;
}

const FILE = /^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \S+ +(\/.*)/;

/** Anonymous pages that processes share after a fork count in parts. */
function mappedBy(pid: number) {
  const fileKiB = new Map<string, number>();
  for (const mapping of readProcess(pid, 'smaps').split(/\n(?=[0-9a-f]+-)/)) {
    const file = FILE.exec(mapping)?.[1];
    if (file === undefined) continue;
    const kib = kibOf(mapping, 'Rss') - kibOf(mapping, 'Anonymous');
    fileKiB.set(file, (fileKiB.get(file) ?? 0) + kib);
  }
  return { anonymousKiB: kibOf(readProcess(pid, 'smaps_rollup'), 'Pss_Anon'), fileKiB };
}

const kibOf = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);

/** Empty for a shell that has ended since. */
function readProcess(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
