/**
 * What one run takes of the memory for runs. A run is measured when it begins, and again when many events came: until then, what they have as
 * JSON is counted. So counting costs little for each event.
 */
import type { WorkflowEvent } from '@tutti/manifests';
import type { Run } from '@tutti/workflow';
import { heapBytes } from '../../runtime/heap-bytes.ts';
import type { MemoryProblem, RunMemory } from '../../runtime/run-memory.ts';

/** What a run takes beside its workflow, and a job beside what the workflow says of it: as measured with many small ones. */
const RUN_BYTES = 4 * 1024;
const JOB_BYTES = 1024;
/** A redactor takes so much for each character of a mask. */
const MASK_BYTES = 150;
/** Events of a run that are not worth a look, in bytes as JSON; and where there is no more room for runs. */
const UNMEASURED_MAX = 256 * 1024;
const UNMEASURED_MAX_WHEN_FULL = 16 * 1024;
/** Of runs with fewer events, each byte counts as so many. */
const SMALL_RUN = 16 * 1024;
const SMALL_RUN_FACTOR = 8;

/** Throws where there is no room for the run that begins with this event. */
export function admitRun(memory: RunMemory, begin: WorkflowEvent): RunShare {
  const bytes =
    RUN_BYTES +
    JOB_BYTES * Object.keys(begin.jobs).length +
    MASK_BYTES * lengthOf(secretsOf(begin)) +
    heapBytes(begin, memory.runBytesMax);
  memory.requireRoom(begin.metadata.namespace, bytes);
  return new RunShare(memory, begin.metadata.namespace, bytes);
}

function secretsOf(begin: WorkflowEvent): readonly string[] {
  const { secrets } = begin as { readonly secrets?: unknown };
  return typeof secrets === 'object' && secrets !== null ? Object.values(secrets).map(String) : [];
}

const lengthOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + text.length, 0);

export class RunShare {
  readonly #memory: RunMemory;
  #namespace: string;
  #bytes: number;
  /** As it was measured last. */
  #measured: number;
  /** When it began, or was restored. */
  #first: number;
  #hasLeft = false;

  constructor(memory: RunMemory, namespace = '', bytes = 0) {
    this.#memory = memory;
    this.#namespace = namespace;
    this.#bytes = 0;
    this.#measured = bytes;
    this.#first = bytes;
    this.#count(bytes);
  }

  /** As it is counted. */
  get bytes(): number {
    return this.#bytes;
  }

  /** After events of so many bytes; answers why this run or another one may not go on, if one may not. */
  grow(run: Run, eventBytes: number): MemoryProblem | null {
    this.#count(this.#bytes + eventBytes);
    const unmeasured = this.#bytes - this.#measured;
    const isFull = this.#memory.isFull(this.#namespace);
    const least = isFull ? UNMEASURED_MAX_WHEN_FULL : UNMEASURED_MAX;
    if (unmeasured < Math.max(least, this.#measured / 8)) return null;
    this.#measure(run);
    return this.#memory.problem(this.#namespace, this.#bytes, this.#bytes - this.#first);
  }

  /** Of a run whose events, of so many bytes, were read. It may take more than new ones may. */
  restore(run: Run, eventBytes: number): void {
    this.#count(0);
    this.#namespace = run.namespace;
    if (eventBytes > SMALL_RUN) this.#measure(run);
    else this.#count(RUN_BYTES + SMALL_RUN_FACTOR * eventBytes);
    this.#measured = this.#bytes;
    this.#first = this.#bytes;
  }

  /** To be called when the run leaves memory. */
  leave(): void {
    this.#count(0);
    this.#hasLeft = true;
  }

  #measure(run: Run): void {
    this.#count(RUN_BYTES + heapBytes(run) + MASK_BYTES * lengthOf(run.masks));
    this.#measured = this.#bytes;
  }

  #count(bytes: number): void {
    if (this.#hasLeft) return;
    const runs = Number(bytes > 0) - Number(this.#bytes > 0);
    this.#memory.add(this.#namespace, bytes - this.#bytes, runs);
    this.#bytes = bytes;
  }
}
