/** Keeps a server and its load on different cores, so that neither takes the time of the other. */
import { execFileSync } from 'node:child_process';

let ofServers: string | null = null;

/**
 * Servers that start from now on have one half of the cores. This process, and what else it starts, has the other. Without `taskset`, or with
 * a single core, all share the cores. The returned words say which.
 */
export function keepApart(): string {
  const cores = allowedCores();
  const [servers, load] = [cores.slice(0, cores.length / 2), cores.slice(cores.length / 2)];
  if (servers.length === 0) return 'server and load share all cores';
  ofServers = servers.join(',');
  pin(process.pid, load.join(','));
  return `server on core ${ofServers}, load on ${load.join(',')}`;
}

/** Moves a process that was started as a server, with all of its threads. */
export function pinServer(pid: number): void {
  if (ofServers !== null) pin(pid, ofServers);
}

function pin(pid: number, cores: string): void {
  execFileSync('taskset', ['-a', '-c', '-p', cores, String(pid)], { stdio: 'ignore' });
}

/** Cores of this process; none without `taskset`. */
function allowedCores(): readonly number[] {
  try {
    const said = execFileSync('taskset', ['-c', '-p', String(process.pid)], { encoding: 'utf8' });
    return rangesOf(said.split(':').at(-1) ?? '');
  } catch {
    return [];
  }
}

/** `0-2,5`. */
function rangesOf(list: string): readonly number[] {
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
