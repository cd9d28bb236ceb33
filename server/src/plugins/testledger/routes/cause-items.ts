/** Causes as the interface shows them. */
import { formatTimestamp } from '@tutti/manifests';
import type { ListedCause } from '../../../store/causes.ts';

export const causeItem = (cause: ListedCause) => ({
  kind: 'Cause',
  metadata: {
    id: cause.id,
    namespace: cause.namespace,
    project: cause.project,
    name: cause.title,
    firstSeen: cause.firstSeen,
    lastSeen: formatTimestamp(cause.lastMs),
  },
  status: {
    failures: cause.failures,
    since: {
      workflow_id: cause.sinceWorkflowId,
      version: cause.sinceVersion,
      at: formatTimestamp(cause.sinceMs),
    },
    last: {
      workflow_id: cause.lastWorkflowId,
      version: cause.lastVersion,
      at: formatTimestamp(cause.lastMs),
    },
  },
});
