/** The frame of each benchmark: its options, its temporary folder, its report. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeMachine, type Figure, type Report, renderReport } from './report.ts';

export interface BenchmarkContext {
  /** Only shows that the benchmark runs: its figures mean nothing. */
  readonly smoke: boolean;
  /** An empty folder, removed at the end. */
  readonly folder: string;
  /** `full`, or in a smoke run `smoke`. */
  scale<T>(full: T, smoke: T): T;
}

/**
 * Measures and prints; with `--json FILE` also writes the report there. A promise that is not kept is shown, not an error: how fast
 * a machine is cannot be a defect.
 */
export async function runBenchmark(
  name: string,
  measure: (context: BenchmarkContext) => Promise<readonly Figure[]>,
): Promise<void> {
  const { values } = parseArgs({
    options: { smoke: { type: 'boolean', default: false }, json: { type: 'string' } },
  });
  const smoke = values.smoke;
  const loadBefore = loadavg()[0] ?? 0;
  const folder = await mkdtemp(join(tmpdir(), `tutti-bench-${name}-`));
  try {
    const context = { smoke, folder, scale: <T>(full: T, small: T) => (smoke ? small : full) };
    const figures = await measure(context);
    const report: Report = { benchmark: name, machine: describeMachine(loadBefore), figures };
    console.log(renderReport(report));
    if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(report)}\n`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** The results of `work`, done `count` times, one after the other. */
export async function repeat<T>(count: number, work: (round: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let round = 0; round < count; round += 1) results.push(await work(round));
  return results;
}
