/**
 * The memory of the runs that are not over, in all and for each namespace. A new run is refused where there is no room for it. Runs that were
 * accepted go on: a part of each bound is left to what they gather. One that gathers more than that is to be canceled.
 */
import { OrchestratorError } from '@tutti/manifests';
import type { MemoryBounds } from './memory-bounds.ts';

export type RunMemoryBounds = Pick<MemoryBounds, 'liveRuns' | 'liveRunsOfNamespace' | 'run'> &
  Partial<Pick<MemoryBounds, 'waitingEvents'>> & {
    /** How many runs one namespace may have. */
    readonly runsOfNamespace?: number;
  };

/** The runs of one namespace, by its share of all. */
export const runBounds = (limits: { readonly runs: number; readonly namespaceShare: number }) => ({
  runsOfNamespace: Math.max(1, Math.floor(limits.runs * limits.namespaceShare)),
});

/** New runs may take this much of each bound; the rest is for what runs gather while they go on. */
const FOR_NEW_RUNS = 3 / 4;
/** A run that gathered less than this is not the one that takes the room, in bytes. */
const GATHERED_MIN = 16 * 1024;
/** Runs take longer to end than a moment. */
const RETRY_SECONDS = 10;

interface NamespaceRuns {
  readonly bytes: number;
  readonly count: number;
}

const NO_RUNS: NamespaceRuns = { bytes: 0, count: 0 };

export class RunMemory {
  readonly #bounds: RunMemoryBounds;
  readonly #ofNamespaces = new Map<string, NamespaceRuns>();
  #bytes = 0;
  #waitingBytes = 0;

  constructor(bounds: RunMemoryBounds) {
    this.#bounds = bounds;
  }

  /** Of all runs, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  ofNamespace(namespace: string): number {
    return this.#of(namespace).bytes;
  }

  /** More than this need not be counted of a new run. */
  get runBytesMax(): number {
    return this.#bounds.run;
  }

  /** Throws `PayloadTooLarge`, `TooManyRequests` or `ServiceUnavailable` where there is no room for a new run of that size. */
  requireRoom(namespace: string, bytes: number): void {
    const { run, liveRuns, liveRunsOfNamespace, runsOfNamespace } = this.#bounds;
    if (bytes > run) throw tooLarge(run);
    if (runsOfNamespace !== undefined && this.#of(namespace).count >= runsOfNamespace)
      throw tooMany(namespace, runsOfNamespace);
    const ofNamespace = liveRunsOfNamespace * FOR_NEW_RUNS;
    if (this.ofNamespace(namespace) + bytes > ofNamespace)
      throw namespaceFull(namespace, ofNamespace);
    const ofAll = liveRuns * FOR_NEW_RUNS;
    if (this.#bytes + bytes > ofAll) throw allFull(ofAll);
  }

  /** Adds bytes of a run, or with a negative number takes them away. `runs`: 1 when it comes, -1 when it goes. */
  add(namespace: string, bytes: number, runs: number): void {
    const before = this.#of(namespace);
    const after = { bytes: before.bytes + bytes, count: before.count + runs };
    this.#bytes += bytes;
    if (after.count === 0) this.#ofNamespaces.delete(namespace);
    else this.#ofNamespaces.set(namespace, after);
  }

  #of(namespace: string): NamespaceRuns {
    return this.#ofNamespaces.get(namespace) ?? NO_RUNS;
  }

  /** Counts events that wait for their run, until what it returns is called. Throws `ServiceUnavailable` where too many wait. */
  holdWaiting(bytes: number): () => void {
    const { waitingEvents = Number.POSITIVE_INFINITY } = this.#bounds;
    if (this.#waitingBytes + bytes > waitingEvents) throw tooManyWait(waitingEvents);
    this.#waitingBytes += bytes;
    return () => {
      this.#waitingBytes -= bytes;
    };
  }

  /** Whether runs that go on have no more room either. */
  isFull(namespace: string): boolean {
    const { liveRuns, liveRunsOfNamespace } = this.#bounds;
    return this.ofNamespace(namespace) > liveRunsOfNamespace || this.#bytes > liveRuns;
  }

  /** Why a run that has so many bytes, so many more than when it began, may not go on; null if it may. */
  problem(namespace: string, bytes: number, gathered: number): string | null {
    const { run } = this.#bounds;
    if (gathered < GATHERED_MIN) return null;
    if (bytes > run) {
      return `The workflow takes more than ${run} bytes of memory, which is the limit of one workflow (limits.liveRunsBytes).`;
    }
    return this.isFull(namespace)
      ? 'The workflow gathers more than the memory for running workflows has room for (limits.liveRunsBytes).'
      : null;
  }
}

const tooLarge = (max: number): OrchestratorError =>
  new OrchestratorError(
    'PayloadTooLarge',
    `The workflow would take more than ${max} bytes of memory, which is the limit of one workflow (limits.liveRunsBytes). Divide it.`,
  );

const namespaceFull = (namespace: string, max: number): OrchestratorError =>
  new OrchestratorError(
    'TooManyRequests',
    `The workflows of namespace "${namespace}" that are not over have no room for one more in the ${max} bytes of memory that one namespace may take (limits.liveRunsBytes). Wait until some have ended, or cancel some.`,
    { retryAfterSeconds: RETRY_SECONDS },
  );

const tooMany = (namespace: string, max: number): OrchestratorError =>
  new OrchestratorError(
    'TooManyRequests',
    `Namespace "${namespace}" may have ${max} workflows that are not over: the share of one namespace (limits.namespaceShare) of limits.runs. Wait until some have ended, or cancel some.`,
    { retryAfterSeconds: RETRY_SECONDS },
  );

const allFull = (max: number): OrchestratorError =>
  new OrchestratorError(
    'ServiceUnavailable',
    `The workflows that are not over have no room for one more in the ${max} bytes of memory that they may take (limits.liveRunsBytes). Try again later.`,
    { retryAfterSeconds: RETRY_SECONDS },
  );

const tooManyWait = (max: number): OrchestratorError =>
  new OrchestratorError(
    'ServiceUnavailable',
    `The events that wait for their workflows have no room for one more in the ${max} bytes of memory that they may take. Try again later.`,
    { retryAfterSeconds: RETRY_SECONDS },
  );
