/** The redactors of the runs that are being read. */
import type { WorkflowId } from '@tutti/manifests';
import { createRedactor, type Redactor } from '@tutti/workflow';

export const RECENT_REDACTORS_LIMITS = {
  /** Runs that are looked at at the same time. */
  runs: 16,
  /** Limit for the masks of these runs, except the last, in characters. A redactor takes up to 150 bytes for each. */
  masksLength: 512 * 1024,
} as const;

interface Entry {
  /** The document of the store. */
  readonly masks: string;
  readonly redactor: Redactor;
}

/** Keeps the last ones that were used. */
export class RecentRedactors {
  /** The least recently used one is first. */
  readonly #known = new Map<WorkflowId, Entry>();
  #length = 0;

  /** `masks`: the list of the run, as JSON that the arranger wrote. */
  of(workflowId: WorkflowId, masks: string): Redactor {
    const known = this.#known.get(workflowId);
    if (known !== undefined) this.#forget(workflowId, known);
    const entry = known?.masks === masks ? known : { masks, redactor: redactorFor(masks) };
    this.#makeRoom(masks.length);
    this.#known.set(workflowId, entry);
    this.#length += masks.length;
    return entry.redactor;
  }

  #makeRoom(length: number): void {
    const { runs, masksLength } = RECENT_REDACTORS_LIMITS;
    for (const [id, entry] of this.#known) {
      if (this.#known.size < runs && this.#length + length <= masksLength) return;
      this.#forget(id, entry);
    }
  }

  #forget(workflowId: WorkflowId, { masks }: Entry): void {
    this.#known.delete(workflowId);
    this.#length -= masks.length;
  }
}

const redactorFor = (masks: string): Redactor => createRedactor(JSON.parse(masks));
