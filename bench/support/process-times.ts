/** Processor time of a program with several processes. Only Linux says it. */
import { readdirSync, readFileSync } from 'node:fs';

/** Length of a tick on every Linux. */
const TICK_MS = 10;

/** Milliseconds of a process, of its children, and of children that have ended; NaN on systems other than Linux. */
export function withChildrenMs(root: number): number {
  const all = statistics();
  const own = all.find(({ pid }) => pid === root);
  if (own === undefined) return Number.NaN;
  const children = all.filter(({ parent }) => parent === root);
  return own.endedMs + [own, ...children].reduce((sum, { ms }) => sum + ms, 0);
}

function statistics() {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => {
    // The name of the program, in brackets, may have blanks.
    const [, rest = ''] = statOf(pid).split(/\) (?=\S [\d-])/);
    const [, parent, ...fields] = rest.split(' ').map(Number);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(9, 13);
    const [ms, endedMs] = [(user + system) * TICK_MS, (endedUser + endedSystem) * TICK_MS];
    return { pid: Number(pid), parent, ms, endedMs };
  });
}

/** Empty for a process that has ended since. */
function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}
