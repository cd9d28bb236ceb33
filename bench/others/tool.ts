/** The comparison: workloads, and tools that run them. */
import type { ToolCache } from './tool-cache.ts';

/** Commands for a shell, each a job: in a chain each needs the one before, in parallel none needs another. */
export interface Workload {
  /** Lower-case letters and hyphens. */
  readonly name: string;
  readonly shape: 'chain' | 'parallel';
  readonly commands: readonly string[];
}

export interface Tool {
  /** With its version, and other distinctions for the table. */
  readonly name: string;
  /** Kind of setup for the table: server or local, its durability, and its jobs. */
  readonly mode: string;
  /** Number of commands that may run at once. */
  readonly slots: number;
  /** Fewer parallel jobs than others get, where so many would take minutes. */
  readonly parallelMost?: number;
  /** Installs it into the cache. Rejects with the reason if that is impossible. */
  install(cache: ToolCache): Promise<void>;
  /** In an empty folder; all of `workloads` are known before they run, as configurations of some tools hold them. */
  start(folder: string, workloads: readonly Workload[]): Promise<RunningTool>;
}

export interface RunningTool {
  /** From the request (or the command) to the end, as the tool's own client reports it. Rejects if a job failed. */
  run(workload: Workload): Promise<void>;
  stop(): Promise<void>;
}

/** Number of commands at once in parallel workloads, if a tool has such a setting. */
export const SLOTS = 4;
