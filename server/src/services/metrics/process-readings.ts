/** What the process and the machine say of themselves. */
import { readdir, readFile } from 'node:fs/promises';
import { type ELDHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { MetricName } from './definitions.ts';
import type { Reading } from './exposition.ts';

type ProcessMetric = Extract<MetricName, `process_${string}` | `nodejs_${string}`>;
export type ProcessReadings = Readonly<Record<ProcessMetric, readonly Reading[]>>;

/** Between two looks at the event loop, in milliseconds: its lag is what they come later. */
const LAG_RESOLUTION_MS = 20;
const MICROSECONDS = 1e6;
const NANOSECONDS = 1e9;

const one = (value: number | null): readonly Reading[] => (value === null ? [] : [{ value }]);

/** Looks at the event loop between its calls, from the first one on. */
export class ProcessReader {
  #lag: ELDHistogram | null = null;

  async read(): Promise<ProcessReadings> {
    const { user, system } = process.cpuUsage();
    const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
    return {
      ...this.#readLag(),
      nodejs_heap_size_total_bytes: one(heapTotal),
      nodejs_heap_size_used_bytes: one(heapUsed),
      nodejs_external_memory_bytes: one(external),
      process_cpu_seconds_total: one((user + system) / MICROSECONDS),
      process_resident_memory_bytes: one(rss),
      process_start_time_seconds: one(performance.timeOrigin / 1000),
      process_open_fds: one(await openFiles()),
      process_max_fds: one(await openFilesMax()),
    };
  }

  stop(): void {
    this.#lag?.disable();
    this.#lag = null;
  }

  #readLag() {
    const seen = this.#lag?.count ?? 0;
    const lag = this.#lag ?? monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
    this.#lag = lag;
    const seconds = (nanoseconds: number) => one(seen === 0 ? null : lateness(nanoseconds));
    const readings = {
      nodejs_eventloop_lag_mean_seconds: seconds(lag.mean),
      nodejs_eventloop_lag_p99_seconds: seconds(lag.percentile(99)),
      nodejs_eventloop_lag_max_seconds: seconds(lag.max),
    };
    lag.reset();
    lag.enable();
    return readings;
  }
}

/** What is measured is the whole time between two looks. */
const lateness = (nanoseconds: number): number =>
  Math.max(0, nanoseconds / NANOSECONDS - LAG_RESOLUTION_MS / 1000);

async function openFiles(): Promise<number | null> {
  try {
    return (await readdir('/proc/self/fd')).length;
  } catch {
    // Not on this system.
    return null;
  }
}

async function openFilesMax(): Promise<number | null> {
  try {
    const [, soft] =
      /^Max open files\s+(\d+)/m.exec(await readFile('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}
