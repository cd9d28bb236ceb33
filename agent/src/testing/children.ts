/** The child processes of a process, as the system lists them; on Linux. */
import { readdirSync, readFileSync } from 'node:fs';

export function childrenOf(pid: number): readonly number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.flatMap((thread) => {
    const list = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8');
    return list.split(' ').filter(Boolean).map(Number);
  });
}
