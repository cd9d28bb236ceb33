/** Executions of the tests of projects for retries: each leaves its name as a line of a file. */
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const executionsFile = async (): Promise<string> =>
  join(await mkdtemp(join(tmpdir(), 'tutti-retry-')), 'executions');

/** Number of executions by test. */
export async function counted(file: string): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const name of (await readFile(file, 'utf8')).trim().split('\n')) {
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
