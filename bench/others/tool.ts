/** What is compared: work, and tools that do it. */
import type { ToolCache } from './tool-cache.ts';

/** Commands for a shell, each a job: in a chain each needs the one before, in parallel none needs another. */
export interface Workload {
  /** Lower-case letters and hyphens. */
  readonly name: string;
  readonly shape: 'chain' | 'parallel';
  readonly commands: readonly string[];
}

export interface Tool {
  /** With its version, and what else tells it from others in the table. */
  readonly name: string;
  /** How it runs here, for the table: server or local, how durable, what a job is. */
  readonly mode: string;
  /** How many commands may run at once. */
  readonly slots: number;
  /** Fewer parallel jobs than others get, where so many would take minutes. */
  readonly parallelMost?: number;
  /** Gets it into the cache. Rejects where it cannot be had, and says why. */
  install(cache: ToolCache): Promise<void>;
  /** In an empty folder; all of `workloads` are known before they run, as configurations of some tools hold them. */
  start(folder: string, workloads: readonly Workload[]): Promise<RunningTool>;
}

export interface RunningTool {
  /** From the request (or the command) to the end, as the tool's own client tells it. Rejects if a job failed. */
  run(workload: Workload): Promise<void>;
  stop(): Promise<void>;
}

/** How many commands run at once in parallel workloads, wherever that can be chosen. */
export const SLOTS = 4;
