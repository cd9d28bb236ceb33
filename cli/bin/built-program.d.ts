export type SourceStamp = readonly [path: string, mtimeMs: number, size: number];

export interface BuildRecord {
  /** Below the folder of builds. */
  readonly folder: string;
  /** Paths from the folder of builds. */
  readonly sources: readonly SourceStamp[];
}

export function readRecord(dist: string): BuildRecord | null;
export function recordIn(dist: string): string;
export function builtProgram(dist: string): string | null;
export function stampOf(dist: string, path: string): SourceStamp;
