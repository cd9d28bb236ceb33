/** One job on many agents: which units an agent gets when it asks for work. */
import { medianOf } from './durations.ts';

export const SPLIT = {
  /** A batch is this part of the fair share of what remains, so that the last batches are short. */
  shareDivisor: 1.3,
  /** A batch lasts at least as long as so many starts of the tool. */
  startsMin: 3,
  /** A start of a tool that nobody measured yet. */
  startMs: 3_000,
  /** A file longer than this part of a share is split into tests. */
  fileShareMax: 1 / 4,
  /** An agent's own speed counts as much as the usual one after so many tests. */
  speedWeight: 20,
  /** Units without history count as longer than so large a part of the others. */
  unknownPart: 0.75,
} as const;

export interface Unit {
  readonly name: string;
  /** Null without history. */
  readonly estimateMs: number | null;
  /** It failed in the last run. */
  readonly hasFailed: boolean;
}

export interface EstimatedUnit {
  readonly name: string;
  readonly estimateMs: number;
}

/** The queue: first units that failed in the last run, then new ones, then the longest. */
export function queueOf(units: readonly Unit[]): readonly EstimatedUnit[] {
  const known = units.flatMap(({ estimateMs }) => (estimateMs === null ? [] : [estimateMs]));
  known.sort((left, right) => left - right);
  const unknownMs =
    known[Math.max(Math.ceil(known.length * SPLIT.unknownPart) - 1, 0)] ?? SPLIT.startMs;
  const rankOf = ({ hasFailed, estimateMs }: Unit) => (hasFailed ? 0 : estimateMs === null ? 1 : 2);
  return units
    .map((unit) => ({ unit, rank: rankOf(unit), estimateMs: unit.estimateMs ?? unknownMs }))
    .sort((left, right) => left.rank - right.rank || right.estimateMs - left.estimateMs)
    .map(({ unit, estimateMs }) => ({ name: unit.name, estimateMs }));
}

export interface Asking {
  /** Agents that work on the job, with the one that asks. */
  readonly agents: number;
  /** The median start of the tool; null if unknown. */
  readonly startMs: number | null;
  /** The speed of the one that asks: see `slownessOf`. */
  readonly slowness: number;
}

/** The number of units from the head of the queue that an agent gets. Not zero, unless the queue is empty. */
export function batchSize(
  queue: readonly EstimatedUnit[],
  { agents, startMs, slowness }: Asking,
): number {
  const restMs = totalOf(queue);
  const goalMs = Math.max(
    restMs / (SPLIT.shareDivisor * agents),
    SPLIT.startsMin * (startMs ?? SPLIT.startMs),
  );
  let [size, sumMs] = [0, 0];
  for (const { estimateMs } of queue) {
    if (sumMs >= goalMs) break;
    sumMs += estimateMs * slowness;
    size++;
  }
  return size;
}

/** The factor by which an agent takes longer than estimated: the median of its tests. While they are few, it is close to 1. */
export function slownessOf(
  tests: readonly { readonly durationMs: number; readonly estimateMs: number }[],
): number {
  const ratios = tests
    .filter(({ estimateMs }) => estimateMs > 0)
    .map(({ durationMs, estimateMs }) => durationMs / estimateMs);
  const weight = ratios.length / (ratios.length + SPLIT.speedWeight);
  return 1 + weight * (medianOf(ratios) - 1);
}

export interface SplitTarget {
  readonly agentsMax: number;
  readonly targetMs: number;
  /** Steps before the tool. */
  readonly preparationMs: number;
  readonly startMs: number;
}

/** The agents that a run asks for to end in time. All of them if the target leaves no time for tests. */
export function agentsFor(units: readonly EstimatedUnit[], target: SplitTarget): number {
  const { agentsMax, targetMs, preparationMs, startMs } = target;
  const leftMs = targetMs - preparationMs - startMs;
  if (leftMs <= 0) return agentsMax;
  return Math.min(Math.max(Math.ceil(totalOf(units) / leftMs), 1), agentsMax);
}

/** Whether `by: auto` splits a file into its tests, if the tool can choose single tests. */
export const isSplitFile = (
  fileMs: number,
  job: { readonly totalMs: number; readonly agents: number },
): boolean => fileMs > (SPLIT.fileShareMax * job.totalMs) / job.agents;

const totalOf = (units: readonly EstimatedUnit[]): number =>
  units.reduce((sum, { estimateMs }) => sum + estimateMs, 0);
