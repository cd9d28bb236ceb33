/**
 * Divides the heap of the process. The bounds follow from the size of the heap, so that a small server refuses work and does not
 * crash. The rest is for the server itself, and for single requests.
 */
import { getHeapStatistics } from 'node:v8';

export interface MemoryBounds {
  /** Runs that are not over. */
  readonly liveRuns: number;
  /** Memory of the runs of one namespace. */
  readonly liveRunsOfNamespace: number;
  /** Memory of one run. */
  readonly run: number;
  /** Events that wait until their runs have decided on earlier ones. */
  readonly waitingEvents: number;
  /** Bodies of requests for runs that are worked on. */
  readonly starts: number;
  /** Memory of one parsed document. */
  readonly document: number;
  /** Documents that are worked on. */
  readonly documents: number;
  /** Pieces of answers that their readers have not taken yet. */
  readonly answers: number;
  /** Subscriptions with an inbox. */
  readonly subscriptions: number;
  /** Registrations of agents. */
  readonly agents: number;
  /** Channels of other handlers. */
  readonly channels: number;
  /** Texts that wait for the disk. */
  readonly waitingWrites: number;
  /** Publications that wait for readers that look on. */
  readonly publications: number;
  /** Publications for inboxes in memory: short ones, and as much again for long ones that are being sent. */
  readonly inboxes: number;
  /** Pages of data sources that are put together. */
  readonly pages: number;
  /** Memory of insight requests until their reports exist. */
  readonly insights: number;
}

/** Parts of the heap, in sixty-fourths. */
const PARTS = {
  liveRuns: 18,
  liveRunsOfNamespace: 12,
  run: 4,
  waitingEvents: 2,
  starts: 4,
  document: 16,
  documents: 8,
  answers: 3,
  subscriptions: 1,
  agents: 2,
  channels: 1,
  waitingWrites: 6,
  publications: 2,
  inboxes: 4,
  pages: 6,
  insights: 1,
} as const satisfies Record<keyof MemoryBounds, number>;

/** The heap limit includes the space for new objects, where nothing stays: three of 64 MiB. */
const YOUNG_BYTES = 3 * 64 * 1024 * 1024;

/** The bounds that an operator may set; the others follow from them. */
export interface ConfiguredBounds {
  readonly liveRunsBytes?: number | undefined;
  readonly namespaceRunsBytes?: number | undefined;
}

/** Parts of the memory of all runs, where an operator sets that. */
const NAMESPACE_PART = PARTS.liveRunsOfNamespace / PARTS.liveRuns;
const RUN_PART = PARTS.run / PARTS.liveRunsOfNamespace;

export function memoryBounds(
  { liveRunsBytes, namespaceRunsBytes }: ConfiguredBounds = {},
  heapBytes: number = getHeapStatistics().heap_size_limit,
): MemoryBounds {
  const kept = Math.max(heapBytes - YOUNG_BYTES, heapBytes / 2);
  const parts = Object.entries(PARTS).map(([name, part]) => [name, Math.floor((kept / 64) * part)]);
  // Each bound is a part.
  const bounds = Object.fromEntries(parts) as MemoryBounds;
  const liveRuns = liveRunsBytes ?? bounds.liveRuns;
  const liveRunsOfNamespace = namespaceRunsBytes ?? Math.floor(liveRuns * NAMESPACE_PART);
  const run = Math.floor(liveRunsOfNamespace * RUN_PART);
  return { ...bounds, liveRuns, liveRunsOfNamespace, run };
}
