/** Reads from the log of the run how far an earlier reading came, after a crash interrupted it. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NotificationEvent, RunEvent, WorkflowId } from '@tutti/manifests';
import { factOf } from '@tutti/workflow/facts';
import type { Store } from '../../store/store.ts';
import { type Report, workerIdOf } from './reports-of-event.ts';

export interface ReportProgress {
  /** Test results that are in the log already: always the first ones of the report. */
  readonly results: number;
  /** Whether the log has its general errors, too; they follow all results. */
  readonly hasErrors: boolean;
  readonly isFinished: boolean;
}

export const NO_PROGRESS: ReportProgress = { results: 0, hasErrors: false, isFinished: false };

/** Events that are read at a time: one with test results has some 64 KiB. */
const PAGE = 64;

export async function readReportProgress(
  store: Pick<Store, 'events'>,
  workflowId: WorkflowId,
  report: Report,
): Promise<ReportProgress> {
  let progress = NO_PROGRESS;
  for (let fromSeq = 1; ; ) {
    const page = await store.events(workflowId, fromSeq, PAGE);
    for (const json of page?.items ?? []) progress = advance(progress, json, report);
    if (page === null || page.items.length === 0) return progress;
    fromSeq += page.items.length;
    if (fromSeq > page.total) return progress;
    // A long log takes seconds, in which other requests want answers.
    await nextTurn();
  }
}

function advance(progress: ReportProgress, json: string, report: Report): ReportProgress {
  const id = report.attachmentId;
  // Parsing every event of a long log only to look at its kind would take seconds.
  if (!json.includes(id)) return progress;
  const event: RunEvent = JSON.parse(json);
  if (event.kind !== 'Notification' || event.metadata.attachment_origin?.[0] !== id) {
    return progress;
  }
  const fact = factOf(event);
  const hasErrors = 'generalErrors' in fact && fact.generalErrors.length > 0;
  return {
    results: progress.results + (event.spec.testResults?.length ?? 0),
    hasErrors: progress.hasErrors || hasErrors,
    isFinished: progress.isFinished || isTeardown(event, report),
  };
}

function isTeardown({ spec }: NotificationEvent, report: Report): boolean {
  return spec.worker?.worker_id === workerIdOf(report) && spec.worker.status === 'teardown';
}
