/**
 * The store as all but those see it who carry runs out: its events are what may be shown. Every part of the server gets this one,
 * so that none can show by mistake what a run masks; what was masked later is hidden in earlier events, too.
 */
import type { WorkflowId } from '@tutti/manifests';
import { delegated } from '../../store/delegated.ts';
import { RUN_MASKS, type Store } from '../../store/store.ts';
import { RecentRedactors } from './recent-redactors.ts';

export function withShownEvents(store: Store): Store {
  const redactors = new RecentRedactors();
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

/** Another number whenever more of the run is masked, as masks only grow: for who remembers something of its events. */
export async function maskMark(
  store: Pick<Store, 'document'>,
  workflowId: WorkflowId,
): Promise<number> {
  return (await store.document(RUN_MASKS, workflowId))?.length ?? 0;
}
