/** Selects runs by selectors, and by common conditions with options of their own. */
import type { Client, JsonRecord } from '@tutti/client';
import { parseTimestamp } from '@tutti/manifests';
import { createNamePattern } from '@tutti/selectors';
import type { Moment } from '../options/moments.ts';
import { type SelectorOptions, selectionOf } from '../options/selector-options.ts';
import { textAt } from '../resources/value-path.ts';

export const WORKFLOW_PHASES = ['PENDING', 'RUNNING', 'DONE', 'FAILED'] as const;
export type WorkflowPhase = (typeof WORKFLOW_PHASES)[number];

export interface WorkflowFilters extends SelectorOptions {
  readonly status?: readonly WorkflowPhase[] | undefined;
  /** A pattern. */
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  /** When it was started at the earliest. */
  readonly since?: Moment | undefined;
  /** A selector that an event of the run fulfils. */
  readonly having?: string | undefined;
  /** Maximum number of items; the newest stay. */
  readonly limit?: number | undefined;
}

/** The manifests in the order of their start. A later call fetches less. */
export function createWorkflowReader(
  client: Client,
  filters: WorkflowFilters,
): (nowMs: number, signal?: AbortSignal) => Promise<readonly JsonRecord[]> {
  const { name = '*', since, having, limit } = filters;
  const isName = createNamePattern(name);
  const hasEvent = having === undefined ? async () => true : createEventTest(client, having);
  const selection = { ...selectionOf(filters), fieldSelector: fieldSelectorOf(filters) };
  return async (nowMs, signal) => {
    const startMs = since?.(nowMs) ?? Number.NEGATIVE_INFINITY;
    const listed = await client.list('workflows', { ...selection, signal });
    const chosen = listed.filter(
      (item) => isName(textAt(item, NAME)) && (startedAt(item) ?? 0) >= startMs,
    );
    return await newest(chosen, limit ?? chosen.length, (item) => hasEvent(idOf(item), signal));
  };
}

const NAME = ['metadata', 'name'];
const STARTED = ['metadata', 'creationTimestamp'];

export const idOf = (item: JsonRecord): string => textAt(item, ['metadata', 'workflow_id']);
const startedAt = (item: JsonRecord): number | null => parseTimestamp(textAt(item, STARTED));

/** All conditions that servers know, in one. */
function fieldSelectorOf({ fieldSelector, status, name, namespace }: WorkflowFilters) {
  const parts = [
    ...(fieldSelector === undefined ? [] : [fieldSelector]),
    ...(status === undefined ? [] : [`status.phase in (${status.join(',')})`]),
    // Names that a selector cannot hold are compared here.
    ...(name !== undefined && /^[\w.-]+$/.test(name) ? [`metadata.name=${name}`] : []),
    ...(namespace === undefined ? [] : [`metadata.namespace=${namespace}`]),
  ];
  return parts.length === 0 ? undefined : parts.join(',');
}

/** Whether a run has an event that the selector matches (client facts 3.2). Events stay, so a yes is final. */
function createEventTest(client: Client, fieldSelector: string) {
  const having = new Set<string>();
  return async (workflowId: string, signal?: AbortSignal): Promise<boolean> => {
    if (having.has(workflowId)) return true;
    for await (const { events } of client.eventPages(workflowId, {
      fieldSelector,
      pageSize: 1,
      signal,
    })) {
      if (events.length > 0) having.add(workflowId);
      break;
    }
    return having.has(workflowId);
  };
}

/** Questions that are under way at a time. */
const AT_ONCE = 8;

/** The last `limit` items that pass; earlier ones are not checked. */
async function newest(
  items: readonly JsonRecord[],
  limit: number,
  isChosen: (item: JsonRecord) => Promise<boolean>,
): Promise<readonly JsonRecord[]> {
  const found: JsonRecord[] = [];
  for (let end = items.length; end > 0 && found.length < limit; end -= AT_ONCE) {
    const some = items.slice(Math.max(0, end - AT_ONCE), end);
    const answers = await Promise.all(some.map(isChosen));
    found.unshift(...some.filter((_item, index) => answers[index] === true));
  }
  return found.slice(Math.max(0, found.length - limit));
}
