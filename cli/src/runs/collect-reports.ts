/** Waits for reports on a run, announced by `WorkflowResult` events. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@tutti/client';
import type { WorkflowResultEvent } from '@tutti/manifests';
import { factOf } from '@tutti/workflow/facts';

export interface PublishedReport {
  readonly name: string;
  readonly uuid: string;
  readonly fileName: string;
  readonly type: string;
  readonly createdAt: string;
  /** Warning of the server about a report that it made before all test results arrived. */
  readonly incomplete: string | null;
}

export interface Collected {
  readonly reports: readonly PublishedReport[];
  /** Sentences about missing reports. */
  readonly problems: readonly string[];
  /** False at the timeout, or if a report was made before all test results arrived. */
  readonly isComplete: boolean;
}

/** The reports of a request, whose number is known; or reports without a request, chosen by their names. */
export type ReportsWanted = { readonly waitMs: number } & (
  | { readonly requestId: string; readonly count: number }
  | { readonly isWanted: (name: string) => boolean }
);

/** Name of the event for a request without reports (clients facts 3.10). */
const NOTHING_PUBLISHED = 'No insights published';
/** A stream may end before the server counts the new request as work. */
const PAUSE = { firstMs: 50, maxMs: 1_000 } as const;
/** Number of checks for unrequested reports: servers begin them right after the end of the run. */
const LOOKS_MAX = 7;

export async function collectReports(
  client: Client,
  workflowId: string,
  wanted: ReportsWanted,
): Promise<Collected> {
  const timeout = AbortSignal.timeout(wanted.waitMs);
  const found = new Map<string, WorkflowResultEvent>();
  const isAll = () => 'count' in wanted && isAnswered([...found.values()], wanted.count);
  let hasOwn = false;
  let pauseMs: number = PAUSE.firstMs;
  try {
    for (let looks = 1; ; looks += 1) {
      const fieldSelector = 'kind==WorkflowResult';
      for await (const item of client.watch(workflowId, { fieldSelector, signal: timeout })) {
        if (item.type !== 'event' || item.event.kind !== 'WorkflowResult') continue;
        const event = item.event as WorkflowResultEvent;
        hasOwn ||= isOwnReport(event);
        if (isOf(event, wanted)) found.set(keyOf(event), event);
        if (isAll()) return collected([...found.values()], true);
      }
      // The run and all its work are over, unless the work has not begun.
      const isLast = hasOwn || looks === LOOKS_MAX;
      if (!('count' in wanted) && isLast) return collected([...found.values()], true);
      await pause(pauseMs, undefined, { signal: timeout });
      pauseMs = Math.min(2 * pauseMs, PAUSE.maxMs);
    }
  } catch (error) {
    if (!timeout.aborted) throw error;
    return collected([...found.values()], false);
  }
}

const isNothing = ({ metadata }: WorkflowResultEvent): boolean =>
  metadata.name === NOTHING_PUBLISHED && Object.keys(metadata.attachments ?? {}).length === 0;

const isAnswered = (events: readonly WorkflowResultEvent[], count: number): boolean =>
  events.length >= count || events.some(isNothing);

/** A reopened stream repeats events. */
const keyOf = ({ metadata }: WorkflowResultEvent): string =>
  JSON.stringify([metadata.name, Object.values(metadata.attachments ?? {})]);

const REPORT = /\.(?:html|txt|xml)$/;

function isOf(event: WorkflowResultEvent, wanted: ReportsWanted): boolean {
  if ('requestId' in wanted) return event.metadata.request_id === wanted.requestId;
  return isOwnReport(event) && wanted.isWanted(event.metadata.name);
}

/**
 * True for an unrequested report. Uploaded files of steps come in the same event, but belong to a job. Reports have the names of
 * their definitions.
 */
function isOwnReport({ metadata }: WorkflowResultEvent): boolean {
  const paths = Object.keys(metadata.attachments ?? {});
  const isReport = paths.some((path) => fileNameOf(path).replace(REPORT, '') === metadata.name);
  return metadata.request_id === undefined && metadata.job_id === undefined && isReport;
}

/** The way of existing clients; no report has a `_` in its name. */
const fileNameOf = (path: string): string => path.split('_').at(-1) ?? '';

function collected(events: readonly WorkflowResultEvent[], isComplete: boolean): Collected {
  const late = isComplete ? [] : ['Not all reports were there in time.'];
  const none =
    isComplete && events.length === 0 ? ['The server made no such reports on this run.'] : [];
  const reports = events.flatMap(reportsOf);
  const early = reports.flatMap(({ name, incomplete }) =>
    incomplete === null ? [] : [`The report "${name}" is not complete. ${incomplete}`],
  );
  return {
    reports,
    problems: [...events.flatMap(problemsOf), ...early, ...none, ...late],
    isComplete: isComplete && early.length === 0,
  };
}

function reportsOf(event: WorkflowResultEvent): readonly PublishedReport[] {
  const { metadata } = event;
  const { name, creationTimestamp: createdAt } = metadata;
  const { incomplete } = factOf(event);
  return Object.entries(metadata.attachments ?? {}).map(([path, { uuid, type = '' }]) => ({
    name,
    uuid,
    fileName: fileNameOf(path),
    type,
    createdAt,
    incomplete,
  }));
}

function problemsOf(event: WorkflowResultEvent): readonly string[] {
  const { name, attachments } = event.metadata;
  if (isNothing(event))
    return ['No insight was made: the conditions of the definition do not hold.'];
  if (Object.keys(attachments ?? {}).length > 0) return [];
  const { skipped } = factOf(event);
  return [`The insight "${name}" was not made${skipped === null ? '.' : `: ${skipped}`}`];
}
