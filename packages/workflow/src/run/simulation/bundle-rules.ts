/** Tracks the jobs of bundles and the stopped bundles by the events of a run. */
import type { JobId, RunEvent } from '@tutti/manifests';
import { factOf, jobIn } from '../../facts/decode.ts';
import type { Fact } from '../../facts/fact.ts';

/** Key of the set of jobs of the workflow. */
const WORKFLOW = '';

export class BundleTracker {
  readonly #keys = new Map<JobId, string>();
  /** Keys of bundles that have their jobs. */
  readonly #expanded = new Set<string>([WORKFLOW]);
  readonly #halted = new Set<string>();

  /** Answers the keys of the sets whose jobs are told to stop by the event. */
  hear(event: RunEvent): readonly string[] {
    const { kind, metadata } = event;
    if (kind === 'GeneratorCommand' || kind === 'GeneratorResult') this.#note(metadata);
    if (kind === 'GeneratorResult') this.#expanded.add(this.keyOf(metadata.job_id) ?? WORKFLOW);
    if (kind === 'ExecutionCommand' && metadata.step_sequence_id === -1) this.#note(metadata);
    if (kind !== 'Notification') return [];
    const fact = factOf(event);
    const { job_id: jobId } = event.metadata;
    if (fact.type === 'DownloadBegun' && jobId !== undefined)
      this.#noteDownload(jobId, fact.bundle);
    if (fact.type === 'Halted') return this.halt(fact.bundle, fact.spared);
    const key = isStop(fact) ? this.keyOf(jobId) : null;
    return key !== null && this.#expanded.has(key) ? this.halt(key) : [];
  }

  /** Tells a set of jobs to stop, and the sets in it that have their jobs by now. A spared bundle goes on. */
  halt(key: string, spared: string | null = null): readonly string[] {
    const goesOn = (each: string) => spared !== null && (isIn(spared, each) || each === spared);
    const within = [...this.#expanded].filter(
      (each) => (isIn(key, each) || each === key) && !goesOn(each),
    );
    for (const each of within) this.#halted.add(each);
    return within;
  }

  /** The jobs beside the one with this key were told to stop. */
  isHalted(key: string): boolean {
    return this.#halted.has(parentOf(key));
  }

  /** The jobs in the bundle with this key were told to stop. */
  isStopped(key: string): boolean {
    return this.#halted.has(key);
  }

  keyOf(jobId: JobId | undefined): string | null {
    return jobId === undefined ? null : (this.#keys.get(jobId) ?? null);
  }

  /** Whether a job is in one of these sets, at any depth. */
  isWithin(jobId: JobId, sets: readonly string[]): boolean {
    const key = this.keyOf(jobId);
    return key !== null && sets.includes(parentOf(key));
  }

  #note(metadata: { readonly name: string; readonly job_id: JobId }): void {
    this.#keys.set(metadata.job_id, keyOf(metadata));
  }

  /** A bundle whose workflow is fetched has a job by now: that which fetches it. */
  #noteDownload(jobId: JobId, bundle: string): void {
    this.#keys.set(jobId, bundle);
    this.#expanded.add(bundle);
  }
}

/** A job is told to stop, for itself or with the jobs in it, or gives way to another one. */
export const isStop = (fact: Fact): boolean =>
  fact.type === 'JobOverdue' ||
  fact.type === 'Superseded' ||
  (fact.type === 'JobEnded' && fact.supersededBy !== null);

export function keyOf(metadata: { readonly name: string }): string {
  return jobIn(metadata) ?? metadata.name;
}

function parentOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('/')));
}

const isIn = (outer: string, key: string): boolean =>
  outer === WORKFLOW || key.startsWith(`${outer}/`);
