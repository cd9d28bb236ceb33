/** Shows that a tool really runs the commands, in their order and on its slots, before its times are believed. */
import { readFile, rm } from 'node:fs/promises';
import type { RunningTool, Workload } from './tool.ts';

/** More than there are slots, and quick. */
const JOBS = { chain: 5, parallel: 12 };
const BEGUN = 'begun';

/** Each command says in the file when it begins and, by its number, when it ends. */
export function witnessed(shape: Workload['shape'], file: string): Workload {
  const commands = Array.from(
    { length: JOBS[shape] },
    (_, index) => `echo ${BEGUN} >> '${file}'; echo ${index} >> '${file}'`,
  );
  return { name: `witnessed-${shape}`, shape, commands };
}

/** Rejects if something did not run exactly once, in order, and within the number of slots. */
export async function runWitnessed(
  tool: RunningTool,
  { workload, file, slots }: { workload: Workload; file: string; slots: number },
): Promise<void> {
  await tool.run(workload);
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  await rm(file);
  const problem = problemOf(lines, workload, slots);
  if (problem !== null) throw new Error(`${workload.name}: ${problem}: ${lines.join(' ')}`);
}

export function problemOf(
  lines: readonly string[],
  { shape, commands }: Workload,
  slots: number,
): string | null {
  const ended = lines.filter((line) => line !== BEGUN).map(Number);
  const inOrder = shape === 'chain' ? ended : ended.toSorted((left, right) => left - right);
  const isEach = inOrder.length === commands.length && inOrder.every((each, at) => each === at);
  if (!isEach) return shape === 'chain' ? 'not each once, in order' : 'not each once';
  return mostAtOnce(lines) > (shape === 'chain' ? 1 : slots) ? 'more at once than slots' : null;
}

function mostAtOnce(lines: readonly string[]): number {
  let [now, most] = [0, 0];
  for (const line of lines) {
    now += line === BEGUN ? 1 : -1;
    most = Math.max(most, now);
  }
  return most;
}
