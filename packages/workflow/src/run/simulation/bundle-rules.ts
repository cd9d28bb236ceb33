/** Which jobs are in which bundles, and which of these were told to stop, as the events of a run tell. */
import type { JobId, RunEvent } from '@tutti/manifests';
import { extension } from '../extensions.ts';

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
    this.#noteDownload(event);
    const halted = extension.text(event.spec, 'tutti.halted') ?? this.#stoppedBundle(event);
    return halted === null ? [] : this.halt(halted, extension.text(event.spec, 'tutti.spared'));
  }

  /** A set of jobs is told to stop, with the sets in it that have their jobs by now, but for a bundle that goes on. */
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
  #noteDownload({ metadata, spec }: Extract<RunEvent, { kind: 'Notification' }>): void {
    const { bundle } = extension.texts(spec, 'tutti.download');
    if (bundle === undefined || metadata.job_id === undefined) return;
    this.#keys.set(metadata.job_id, bundle);
    this.#expanded.add(bundle);
  }

  #stoppedBundle({ metadata, spec }: Extract<RunEvent, { kind: 'Notification' }>): string | null {
    const key = this.keyOf(metadata.job_id);
    const isStopped = spec['tutti.timeout'] === 'job' || spec['tutti.superseded'] !== undefined;
    return isStopped && key !== null && this.#expanded.has(key) ? key : null;
  }
}

export function keyOf(metadata: { readonly name: string }): string {
  return extension.text(metadata, 'tutti.job') ?? metadata.name;
}

function parentOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('/')));
}

const isIn = (outer: string, key: string): boolean =>
  outer === WORKFLOW || key.startsWith(`${outer}/`);
