/** The store as clients see it: each event is valid under the published schema of its version, also one that an earlier version wrote. */
import { isPublishedText, publishedEvent } from '@tutti/manifests';
import { hasBooleanFlags } from '@tutti/workflow/facts';
import type { Store } from '../../store/store.ts';

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
