/** Measurements of the process and of the machine. */
import { readdir, readFile } from 'node:fs/promises';
import { type ELDHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { MetricName } from './definitions.ts';
import type { Reading } from './exposition.ts';

type ProcessMetric = Extract<MetricName, `process_${string}` | `nodejs_${string}`>;
export type ProcessReadings = Readonly<Record<ProcessMetric, readonly Reading[]>>;

/** Interval of checks of the event loop, in milliseconds; the lag is their delay. */
const LAG_RESOLUTION_MS = 20;
const FIRST_LOOKS = 3;
const MICROSECONDS = 1e6;
const NANOSECONDS = 1e9;

const one = (value: number | null): readonly Reading[] => (value === null ? [] : [{ value }]);

/** Looks at the event loop between its calls, from the first one on. */
export class ProcessReader {
  #lag: ELDHistogram | null = null;
  /** In nanoseconds, of the last time in which there were looks: two calls may come at once. */
  #seen = { mean: 0, p99: 0, max: 0 };

  async read(): Promise<ProcessReadings> {
    const { user, system } = process.cpuUsage();
    const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
    return {
      ...(await this.#readLag()),
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

  async #readLag() {
    if (this.#lag === null) await this.#beginToLook();
    const lag = this.#lag;
    if (lag !== null && lag.count > 0) {
      this.#seen = { mean: lag.mean, p99: lag.percentile(99), max: lag.max };
      lag.reset();
    }
    return {
      nodejs_eventloop_lag_mean_seconds: one(lateness(this.#seen.mean)),
      nodejs_eventloop_lag_p99_seconds: one(lateness(this.#seen.p99)),
      nodejs_eventloop_lag_max_seconds: one(lateness(this.#seen.max)),
    };
  }

  /** Waits for the first checks, so that the first call has values. */
  async #beginToLook(): Promise<void> {
    this.#lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
    this.#lag.enable();
    await pause(FIRST_LOOKS * LAG_RESOLUTION_MS);
  }
}

/** The histogram contains whole intervals between two checks. */
const lateness = (nanoseconds: number): number =>
  Math.max(0, nanoseconds / NANOSECONDS - LAG_RESOLUTION_MS / 1000);

async function openFiles(): Promise<number | null> {
  try {
    return (await readdir('/proc/self/fd')).length;
  } catch {
    // The system has no such file.
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
