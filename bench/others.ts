/**
 * Compares Tutti with other tools on the same small workloads, in turns. One is 40 chained jobs of one command, the other 1 000 independent
 * jobs, four at a time. This program installs the other tools outside the repository, so it runs only by its name. A smoke run leaves them
 * out, and needs no network. `TUTTI_BENCH_OTHERS` selects tools by words of their names, with commas. In a smoke run, it shows whether a
 * tool works.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { act } from './others/act.ts';
import { buildbot } from './others/buildbot.ts';
import { dbos } from './others/dbos.ts';
import { gitlabCiLocal } from './others/gitlab-ci-local.ts';
import { prefect } from './others/prefect.ts';
import { killAll } from './others/program.ts';
import { temporal } from './others/temporal.ts';
import { SLOTS, type Tool, type Workload } from './others/tool.ts';
import { ToolCache } from './others/tool-cache.ts';
import { tutti } from './others/tutti.ts';
import { runWitnessed, witnessed } from './others/witness.ts';
import { type BenchmarkContext, runBenchmark, timed } from './support/benchmark.ts';
import { type Figure, figure } from './support/report.ts';
import { spread } from './support/statistics.ts';

const OURS = [tutti(1), tutti(SLOTS)];
const OTHERS = [gitlabCiLocal(), act(), dbos(), temporal(), prefect(), buildbot()];
const COMMAND = 'true';
/** With fewer rounds, the quarters of the times say little. */
const ROUNDS_LEAST = 5;
/** A tool gets further rounds while the quarters of its times lie further apart. See `spread`. */
const SMALL_SPREAD = 0.02;
/** A tool that has taken this long, with its starts, gets no further round. So all together take less than ten minutes. */
const ENOUGH_MS = 50_000;
/** Timeout for a tool that hangs. */
const STUCK_AFTER_MS = 120_000;

await runBenchmark('others', measure);

async function measure(context: BenchmarkContext): Promise<readonly Figure[]> {
  const { scale } = context;
  const tools = await installed(chosen(context.smoke));
  const sizes = { chain: scale(40, 3), parallel: scale(1_000, 8) };
  const results = tools
    .map((tool) => ({ tool, workloads: workloadsOf(tool, sizes) }))
    .map((each) => ({ ...each, times: each.workloads.map((): number[] => []), spentMs: 0 }));
  const failed = new Set<Tool>();
  const isDone = (result: Result): boolean =>
    failed.has(result.tool) || scale(isMeasured(result), result.spentMs > 0);
  for (let round = 0; !results.every(isDone); round += 1) {
    for (const [index, result] of results.entries()) {
      if (isDone(result)) continue;
      const work = () => turn(result, join(context.folder, `${index}-${round}`));
      result.spentMs += await timed(() =>
        work().catch((error: unknown) => {
          if (OURS.includes(result.tool)) throw error;
          failed.add(result.tool);
          killAll();
          console.log(`Not compared, as it failed: ${result.tool.name}: ${messageOf(error)}`);
        }),
      );
    }
  }
  for (const { name, mode } of tools) console.log(`${name}: ${mode}`);
  return [0, 1].flatMap((shape) =>
    results
      .filter(({ tool }) => !failed.has(tool))
      .map(({ tool, workloads, times }) =>
        figure(titleOf(workloads[shape], tool), times[shape] ?? [], 'ms'),
      ),
  );
}

interface Result {
  readonly tool: Tool;
  readonly workloads: readonly Workload[];
  /** Times of each workload in milliseconds. */
  readonly times: readonly number[][];
  /** All its turns so far. */
  spentMs: number;
}

function workloadsOf(
  { parallelMost = Number.POSITIVE_INFINITY }: Tool,
  sizes: { readonly chain: number; readonly parallel: number },
): readonly Workload[] {
  const parallel = Math.min(sizes.parallel, parallelMost);
  return [jobs('chain', sizes.chain), jobs('parallel', parallel)];
}

function jobs(shape: Workload['shape'], count: number): Workload {
  return { name: shape, shape, commands: Array.from({ length: count }, () => COMMAND) };
}

function isMeasured({ times, spentMs }: Result): boolean {
  const isSteady = (each: readonly number[]) =>
    each.length >= ROUNDS_LEAST && spread(each) <= SMALL_SPREAD;
  return spentMs > ENOUGH_MS || times.every(isSteady);
}

function titleOf(workload: Workload | undefined, { name }: Tool): string {
  const how = workload?.shape === 'chain' ? 'in a chain' : 'in parallel';
  return `${workload?.commands.length} ${how}: ${name}`;
}

function chosen(smoke: boolean): readonly Tool[] {
  const words = (process.env.TUTTI_BENCH_OTHERS ?? '').split(',').filter((word) => word !== '');
  if (words.length === 0) return smoke ? OURS : [...OURS, ...OTHERS];
  return [...OURS, ...OTHERS].filter(({ name }) =>
    words.some((word) => name.toLowerCase().includes(word.toLowerCase())),
  );
}

/** The tools that can be installed here; for the others it prints the reason. */
async function installed(tools: readonly Tool[]): Promise<readonly Tool[]> {
  const cache = new ToolCache();
  const there: Tool[] = [];
  for (const tool of tools) {
    try {
      await tool.install(cache);
      there.push(tool);
    } catch (error) {
      console.log(`Not compared, as it cannot be had here: ${tool.name}: ${messageOf(error)}`);
    }
  }
  return there;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function inTime(work: Promise<void>): Promise<void> {
  const stuck = Promise.withResolvers<void>();
  const late = setTimeout(
    () => stuck.reject(new Error(`it has not ended after ${STUCK_AFTER_MS} ms`)),
    STUCK_AFTER_MS,
  );
  await Promise.race([work, stuck.promise]).finally(() => clearTimeout(late));
}

/** Starts the tool, verifies and warms it up, and measures it. No other tool runs meanwhile. */
async function turn({ tool, workloads, times }: Result, folder: string): Promise<void> {
  await mkdir(folder);
  const file = join(folder, 'witness.txt');
  const shown = workloads.map(({ shape }) => witnessed(shape, file));
  const running = await tool.start(folder, [...shown, ...workloads]);
  try {
    for (const workload of shown) {
      await inTime(runWitnessed(running, { workload, file, slots: tool.slots }));
    }
    for (const [index, workload] of workloads.entries()) {
      await inTime(running.run(workload));
      times[index]?.push(await timed(() => inTime(running.run(workload))));
    }
  } finally {
    await running.stop();
  }
}
