/**
 * The store as all but those see it who carry runs out: its events are what may be shown. Every part of the server gets this one,
 * so that none can show by mistake what a run masks; what was masked later is hidden in earlier events, too.
 */
import type { WorkflowId } from '@tutti/manifests';
import { createRedactor, type Redactor } from '@tutti/workflow';
import { delegated } from '../../store/delegated.ts';
import { RUN_MASKS, type Store } from '../../store/store.ts';

/** Runs that are looked at at the same time; each has what it takes to look for its masks. */
const REDACTORS_MAX = 16;

export function withShownEvents(store: Store): Store {
  const redactors = new Redactors();
  return {
    ...delegated(store),
    events: async (workflowId, fromSeq, limit) => {
      const page = await store.history(workflowId, fromSeq, limit);
      if (page === null) return null;
      // After the events, since masks only grow.
      const masks = await store.document(RUN_MASKS, workflowId);
      const redactor = redactors.of(workflowId, masks ?? '[]');
      return { ...page, items: page.items.map((json) => redactor.shownJson(json)) };
    },
  };
}

/** The last ones that were used. */
class Redactors {
  readonly #known = new Map<WorkflowId, { readonly masks: string; readonly redactor: Redactor }>();

  of(workflowId: WorkflowId, masks: string): Redactor {
    const known = this.#known.get(workflowId);
    this.#known.delete(workflowId);
    const entry = known?.masks === masks ? known : { masks, redactor: redactorFor(masks) };
    this.#known.set(workflowId, entry);
    const [oldest] = this.#known.keys();
    if (this.#known.size > REDACTORS_MAX && oldest !== undefined) this.#known.delete(oldest);
    return entry.redactor;
  }
}

/** The document is written by the arranger alone. */
const redactorFor = (masks: string): Redactor => createRedactor(JSON.parse(masks));
