/**
 * Measures the reading of test reports from a file up to the published events, and its peak memory. Each format has its own process. The
 * JUnit report has a gibibyte and over a million test cases; the others are smaller.
 */

import { execFile } from 'node:child_process';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { REPORT_FORMATS, type ReportFormat } from '@tutti/manifests';
import { type BenchmarkContext, runBenchmark } from './support/benchmark.ts';
import { writeLargeReport } from './support/large-reports.ts';
import { type Figure, figure } from './support/report.ts';

const MIB = 1024 * 1024;
const ENTRY = fileURLToPath(new URL('./support/reader-entry.ts', import.meta.url));

interface Reading {
  readonly cases: number;
  readonly elapsedMs: number;
  /** Processor time of the thread that answers requests. */
  readonly ownMs: number;
  readonly peakMiB: number;
}

async function readInProcess(format: ReportFormat, file: string): Promise<Reading> {
  const { stdout } = await promisify(execFile)(process.execPath, [ENTRY, format, file]);
  return JSON.parse(stdout);
}

async function measure(
  context: BenchmarkContext,
  format: ReportFormat,
): Promise<readonly Figure[]> {
  const isJunit = format === 'surefire';
  const bytes = context.scale(isJunit ? 1024 : 128, 1) * MIB;
  const file = join(context.folder, format);
  const written = await writeLargeReport(format, file, bytes);
  const { size } = await stat(file);
  const { cases, elapsedMs, ownMs, peakMiB } = await readInProcess(format, file);
  await rm(file);
  if (cases < written) throw new Error(`${format}: ${cases} of ${written} cases were read.`);
  const what = `${format}, ${Math.round(size / MIB)} MiB, ${cases} cases`;
  return [
    figure(`${what}: speed`, [size / 1e3 / elapsedMs], 'MB/s', isJunit ? { atLeast: 60 } : null),
    figure(`${what}: processor time of the server's own thread`, [ownMs], 'ms', null),
    figure(`${what}: peak memory of the process`, [peakMiB], 'MiB', { atMost: 200 }),
  ];
}

await runBenchmark('interpreters', async (context) => {
  const figures: Figure[] = [];
  for (const format of REPORT_FORMATS) figures.push(...(await measure(context, format)));
  return figures;
});
