/**
 * Estimates the memory of one run. A run is measured at its begin, and again after many events. In between, the size of new
 * events as JSON is added, so that counting stays cheap.
 */
import type { WorkflowEvent } from '@tutti/manifests';
import type { Run } from '@tutti/workflow';
import { heapBytes } from '../../runtime/heap-bytes.ts';
import type { MemoryProblem, RunMemory } from '../../runtime/run-memory.ts';

/** Fixed memory of a run and of a job, besides the workflow: measured with many small ones. */
const RUN_BYTES = 4 * 1024;
const JOB_BYTES = 1024;
/** Memory of a redactor for each character of a mask. */
const MASK_BYTES = 150;
/** Unmeasured bytes of events that trigger a new measurement; the second limit holds when memory is full. */
const UNMEASURED_MAX = 256 * 1024;
const UNMEASURED_MAX_WHEN_FULL = 16 * 1024;
/** Factor for each byte of events in small runs. */
const SMALL_RUN = 16 * 1024;
const SMALL_RUN_FACTOR = 8;

/** Takes the share of memory of a new run. Throws if it does not fit. */
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
  /** Size at the last measurement. */
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

  /** The counted memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds these bytes of events; returns why this run or another one must end, or null. */
  grow(run: Run, eventBytes: number): MemoryProblem | null {
    this.#count(this.#bytes + eventBytes);
    const unmeasured = this.#bytes - this.#measured;
    const isFull = this.#memory.isFull(this.#namespace);
    const least = isFull ? UNMEASURED_MAX_WHEN_FULL : UNMEASURED_MAX;
    if (unmeasured < Math.max(least, this.#measured / 8)) return null;
    this.#measure(run);
    return this.#memory.problem(this.#namespace, this.#bytes, this.#bytes - this.#first);
  }

  /** Counts a run after its events were read. It may exceed the limit for new runs. */
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
