/**
 * The store for readers: its events are redacted. Every part of the server except the executors of runs gets this one, so that
 * none can show masked text. Later masks hide text in earlier events, too.
 */
import { isPublishedText, publishedEvent, type WorkflowId } from '@tutti/manifests';
import { createRedactor, maskSteps, type Redactor } from '@tutti/workflow';
import { hasBooleanFlags } from '@tutti/workflow/facts';
import { type RedactionThreads, redactedInThread } from '../../bus/redaction.ts';
import { Turns } from '../../runtime/turns.ts';
import { RUN_MASKS, type Store } from '../../store/store.ts';
import { RecentRedactors } from './recent-redactors.ts';

export function withShownEvents(store: Store, threads: RedactionThreads): Store {
  const redactors = new RecentRedactors();
  const withoutMasks = createRedactor([]);
  // Read after the events, since masks only grow.
  const redactorOf = async (workflowId: WorkflowId) => {
    const masks = await store.document(RUN_MASKS, workflowId);
    if (masks === null) return withoutMasks;
    const redactor = redactors.of(workflowId, masks);
    await new Turns().run(maskSteps(redactor.masks));
    return redactor;
  };
  const shownBy = async (redactor: Redactor, workflowId: WorkflowId, json: string) =>
    (await redactedInThread(threads, redactor, json, `workflow ${workflowId}`)) ??
    redactor.shownJson(json);
  return {
    ...store,
    firstEvents: async (workflowIds, length) => {
      const shown: (string | null)[] = [];
      for (const json of await store.firstEvents(workflowIds, length)) {
        const workflowId = workflowIds[shown.length];
        if (json === null || workflowId === undefined) shown.push(null);
        else shown.push(await shownBy(await redactorOf(workflowId), workflowId, json));
      }
      return shown;
    },
    events: async (workflowId, fromSeq, limit) => {
      const page = await store.history(workflowId, fromSeq, limit);
      if (page === null) return null;
      const redactor = await redactorOf(workflowId);
      const items: string[] = [];
      const turns = new Turns();
      for (const json of page.items) {
        if (turns.isOver) await turns.next();
        items.push(await shownBy(redactor, workflowId, json));
      }
      return { ...page, items };
    },
  };
}

/** Changes when masks are added, as masks only grow: for caches of events. */
export async function maskMark(
  store: Pick<Store, 'document'>,
  workflowId: WorkflowId,
): Promise<number> {
  return (await store.document(RUN_MASKS, workflowId))?.length ?? 0;
}

/** The store as clients see it. Each event is valid under the published schema of its version, even if an earlier version wrote it. */
export function withPublishedEvents(store: Store): Store {
  return {
    ...store,
    events: async (workflowId, fromSeq, limit) => {
      const page = await store.events(workflowId, fromSeq, limit);
      return page === null ? null : { ...page, items: page.items.map(publishedJson) };
    },
  };
}

function publishedJson(json: string): string {
  if (isPublishedText(json) || !mayChange(json)) return json;
  const event = JSON.parse(json);
  const published = publishedEvent(event);
  return published === event ? json : JSON.stringify(published);
}

/** The start of an event. A workflow may start as its author wrote it. */
const HEAD = /^\{"apiVersion":"[^"]*","kind":"([^"]*)"/;

/** Most events, also those of earlier versions, are published unchanged: reading them would cost more than sending them. */
function mayChange(json: string): boolean {
  const [, kind] = HEAD.exec(json) ?? [];
  switch (kind) {
    case undefined:
    case 'Workflow':
    case 'GeneratorResult':
    case 'ProviderResult':
      return true;
    case 'ExecutionCommand':
    case 'ProviderCommand':
      return json.includes('"runs-on":[]');
    case 'WorkflowCompleted':
    case 'WorkflowCanceled':
      return json.includes('"outputs":{');
    case 'Notification':
      return !json.endsWith(ENDS_WITH_LIST) && hasBooleanFlags(json);
    default:
      return false;
  }
}

/** The end of notifications with output or test results, which may be long. Notifications with flags end with an outcome or with outputs. */
const ENDS_WITH_LIST = ']}}';
