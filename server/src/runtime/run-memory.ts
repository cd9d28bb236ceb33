/**
 * The memory of live runs, in total and for each namespace. A new run is refused without room. Accepted runs go on: a part of
 * each bound is reserved for their growth. A run that grows beyond that is canceled. If all namespaces together have no room, the
 * largest run of the largest namespace is canceled. So no namespace ends the runs of another.
 */
import { OrchestratorError } from '@tutti/manifests';
import type { MemoryBounds } from './memory-bounds.ts';

export type RunMemoryBounds = Pick<MemoryBounds, 'liveRuns' | 'liveRunsOfNamespace' | 'run'> &
  Partial<Pick<MemoryBounds, 'waitingEvents'>> & {
    /** Maximum number of runs in one namespace. */
    readonly runsOfNamespace?: number;
  };

/** The limit of runs in one namespace, from its share. */
export const runBounds = (limits: { readonly runs: number; readonly namespaceShare: number }) => ({
  runsOfNamespace: Math.max(1, Math.floor(limits.runs * limits.namespaceShare)),
});

/** Share of each bound for new runs; the rest is for the growth of live runs. */
const FOR_NEW_RUNS = 3 / 4;
/** Namespaces below this share of all runs may start runs even then, so that two namespaces leave room to others. */
const FOR_SMALL_NAMESPACES = 1 / 64;
/** A run that grew by less is not the cause, in bytes. */
const GATHERED_MIN = 16 * 1024;
/** Runs take longer to end than a moment. */
const RETRY_SECONDS = 10;

interface NamespaceRuns {
  readonly bytes: number;
  readonly count: number;
}

const NO_RUNS: NamespaceRuns = { bytes: 0, count: 0 };

/** A run has to end: the one that gathered, or the largest one of a namespace. */
export interface MemoryProblem {
  readonly reason: string;
  readonly toEnd: 'itself' | { readonly largestOf: string };
}

export class RunMemory {
  readonly #bounds: RunMemoryBounds;
  readonly #ofNamespaces = new Map<string, NamespaceRuns>();
  #bytes = 0;
  #waitingBytes = 0;

  constructor(bounds: RunMemoryBounds) {
    this.#bounds = bounds;
  }

  /** Memory of all runs, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  ofNamespace(namespace: string): number {
    return this.#of(namespace).bytes;
  }

  /** Upper bound for measuring a new run. */
  get runBytesMax(): number {
    return this.#bounds.run;
  }

  /** Throws `PayloadTooLarge`, `TooManyRequests` or `ServiceUnavailable` if a new run of that size has no room. */
  requireRoom(namespace: string, bytes: number): void {
    const { run, liveRuns, liveRunsOfNamespace, runsOfNamespace } = this.#bounds;
    if (bytes > run) throw tooLarge(run);
    if (runsOfNamespace !== undefined && this.#of(namespace).count >= runsOfNamespace)
      throw tooMany(namespace, runsOfNamespace);
    const ofNamespace = liveRunsOfNamespace * FOR_NEW_RUNS;
    if (this.ofNamespace(namespace) + bytes > ofNamespace)
      throw namespaceFull(namespace, ofNamespace);
    const isSmall = this.ofNamespace(namespace) + bytes <= liveRuns * FOR_SMALL_NAMESPACES;
    const ofAll = isSmall ? liveRuns : liveRuns * FOR_NEW_RUNS;
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

  /** Counts events that wait for their run, until the returned function is called. Throws `ServiceUnavailable` if too many wait. */
  holdWaiting(bytes: number): () => void {
    const { waitingEvents = Number.POSITIVE_INFINITY } = this.#bounds;
    if (this.#waitingBytes + bytes > waitingEvents) throw tooManyWait(waitingEvents);
    this.#waitingBytes += bytes;
    return () => {
      this.#waitingBytes -= bytes;
    };
  }

  /** Whether even live runs have no more room. */
  isFull(namespace: string): boolean {
    return this.#isNamespaceFull(namespace) || this.#bytes > this.#bounds.liveRuns;
  }

  #isNamespaceFull(namespace: string): boolean {
    return this.ofNamespace(namespace) > this.#bounds.liveRunsOfNamespace;
  }

  /** The run that must end because of its bytes or its growth, with the reason; null if all may continue. */
  problem(namespace: string, bytes: number, gathered: number): MemoryProblem | null {
    const { run } = this.#bounds;
    if (gathered < GATHERED_MIN) return null;
    if (bytes > run) {
      const reason = `The workflow takes more than ${run} bytes of memory, which is the limit of one workflow (limits.liveRunsBytes).`;
      return { reason, toEnd: 'itself' };
    }
    if (!this.isFull(namespace)) return null;
    const largest = this.#isNamespaceFull(namespace) ? namespace : this.#largestNamespace();
    if (largest === namespace) return { reason: GATHERS_TOO_MUCH, toEnd: 'itself' };
    return { reason: takesMost(largest), toEnd: { largestOf: largest } };
  }

  #largestNamespace(): string {
    let largest = '';
    for (const [namespace, { bytes }] of this.#ofNamespaces) {
      if (bytes > this.ofNamespace(largest)) largest = namespace;
    }
    return largest;
  }
}

const GATHERS_TOO_MUCH =
  'The workflow gathers more than the memory for running workflows has room for (limits.liveRunsBytes).';

const takesMost = (namespace: string): string =>
  `The running workflows gather more than the memory for them has room for, and those of namespace "${namespace}" take most of it (limits.liveRunsBytes).`;

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
