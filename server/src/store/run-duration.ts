import { parseTimestamp } from '@tutti/manifests';
import type { WorkflowRow } from './store.ts';

/** Duration of a run in milliseconds, for the order of lists; -1 for one that is not over. */
export function durationOf({ createdAt, completedAt }: WorkflowRow): number {
  if (completedAt === null) return -1;
  const ms = (parseTimestamp(completedAt) ?? 0) - (parseTimestamp(createdAt) ?? 0);
  return Math.max(0, Math.round(ms));
}
