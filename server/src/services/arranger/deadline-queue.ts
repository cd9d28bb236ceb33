/** The next deadline of many runs: a binary heap. A moved deadline is inserted again; old entries are dropped later. */
import type { WorkflowId } from '@tutti/manifests';

interface Entry {
  readonly workflowId: WorkflowId;
  readonly atMs: number;
}

export class DeadlineQueue {
  readonly #heap: Entry[] = [];
  readonly #current = new Map<WorkflowId, number>();

  /** Sets, moves or (null) removes the deadline of a run. */
  set(workflowId: WorkflowId, atMs: number | null): void {
    if (atMs === null) {
      this.#current.delete(workflowId);
    } else if (this.#current.get(workflowId) !== atMs) {
      this.#current.set(workflowId, atMs);
      this.#push({ workflowId, atMs });
    }
  }

  /** Epoch milliseconds of the earliest deadline, or null. */
  earliest(): number | null {
    this.#dropStale();
    return this.#heap[0]?.atMs ?? null;
  }

  /** Removes and returns the runs whose deadline has passed. */
  takeDue(nowMs: number): readonly WorkflowId[] {
    const due: WorkflowId[] = [];
    for (;;) {
      this.#dropStale();
      const first = this.#heap[0];
      if (first === undefined || first.atMs > nowMs) return due;
      this.#pop();
      this.#current.delete(first.workflowId);
      due.push(first.workflowId);
    }
  }

  #dropStale(): void {
    for (;;) {
      const first = this.#heap[0];
      if (first === undefined || this.#current.get(first.workflowId) === first.atMs) return;
      this.#pop();
    }
  }

  #at(index: number): number {
    return this.#heap[index]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  #swap(a: number, b: number): void {
    const [first, second] = [this.#heap[a], this.#heap[b]];
    if (first === undefined || second === undefined) return;
    this.#heap[a] = second;
    this.#heap[b] = first;
  }

  #push(entry: Entry): void {
    let index = this.#heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.#at(parent) <= this.#at(index)) return;
      this.#swap(parent, index);
      index = parent;
    }
  }

  #pop(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const child = this.#at(left + 1) < this.#at(left) ? left + 1 : left;
      if (this.#at(child) >= this.#at(index)) return;
      this.#swap(child, index);
      index = child;
    }
  }
}
