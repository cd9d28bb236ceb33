/**
 * Measures a million runs, a million events of one run, and 100 000 waiting jobs with 50 sets of tags. Also 10 000 agents, a log of 10 GiB
 * and ten million test cases. Each is measured at a tenth of that size, too. If an item then costs less, the cost grows faster
 * than the work. Costs are processor time. `TUTTI_BENCH_PARTS=runs,cases` measures some, `TUTTI_BENCH_SHARE=0.1` a share of each size.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type BenchmarkContext, runBenchmark } from './support/benchmark.ts';
import { manyAgents, manyJobs } from './support/many-jobs.ts';
import { longLog, manyCases, manyEvents } from './support/many-rows.ts';
import { manyRuns } from './support/many-runs.ts';
import { type Figure, renderFigures } from './support/report.ts';

const MIB = 2 ** 20;
const SHARE = Number(process.env.TUTTI_BENCH_SHARE ?? '1');

type Measure = (what: string, count: number, folder: string) => AsyncIterable<Figure>;

interface Part {
  readonly count: number;
  readonly smoke: number;
  readonly unit: string;
  readonly measure: Measure;
}

const PARTS: Readonly<Record<string, Part>> = {
  runs: { count: 1_000_000, smoke: 200, unit: 'runs', measure: manyRuns },
  events: { count: 1_000_000, smoke: 2_000, unit: 'events', measure: manyEvents },
  jobs: { count: 100_000, smoke: 200, unit: 'waiting jobs', measure: manyJobs },
  agents: { count: 10_000, smoke: 100, unit: 'agents', measure: manyAgents },
  log: { count: 10 * 1024 * MIB, smoke: 10 * MIB, unit: 'bytes of a log', measure: longLog },
  cases: { count: 10_000_000, smoke: 5_000, unit: 'test cases', measure: manyCases },
};

await runBenchmark('million', measureParts);

async function measureParts(context: BenchmarkContext): Promise<readonly Figure[]> {
  const names = (process.env.TUTTI_BENCH_PARTS ?? Object.keys(PARTS).join()).split(',');
  const figures: Figure[] = [];
  for (const name of names) {
    const part = PARTS[name];
    if (part === undefined) throw new Error(`There is no part ${name}.`);
    const { unit, measure } = part;
    const full = context.scale(part.count * SHARE, part.smoke);
    for (const count of context.scale([full / 10, full], [full])) {
      const folder = join(context.folder, `${name}-${count}`);
      for await (const each of measure(`${count} ${unit}`, count, folder)) {
        // A benchmark that is cut off has shown its figures.
        console.log(...renderFigures([each]));
        figures.push(each);
      }
      await rm(folder, { recursive: true, force: true });
    }
  }
  return figures;
}
