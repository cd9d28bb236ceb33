/** Ids of traces and spans. They follow from those of runs, jobs and steps, so they are the same everywhere. */
import type { WorkflowId } from '@tutti/manifests';

/** A UUID has the length of the id of a trace. */
export const traceIdOf = (workflowId: WorkflowId): string =>
  workflowId.replaceAll('-', '').toLowerCase();

/** Span id of the run itself. */
export const runSpanId = (workflowId: WorkflowId): string => spanIdOf(workflowId);

const OFFSET = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;
const MASK = (1n << 64n) - 1n;

/** 64 bits of FNV-1a: ids are random already, and nobody gains by two of them that are equal. */
export function spanIdOf(key: string): string {
  let hash = OFFSET;
  for (let index = 0; index < key.length; index += 1) {
    hash = ((hash ^ BigInt(key.charCodeAt(index))) * PRIME) & MASK;
  }
  // All zeros would be no id.
  return (hash === 0n ? 1n : hash).toString(16).padStart(16, '0');
}
