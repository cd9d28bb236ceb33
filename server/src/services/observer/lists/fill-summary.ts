/** Makes the summary of a run that has none. Its log has all that is needed. */
import { isRunEvent, type WorkflowId } from '@tutti/manifests';
import {
  createRedactor,
  emptyRun,
  evolve,
  type FirstFailure,
  firstFailureIn,
  runSummaryOf,
} from '@tutti/workflow';
import type { Logger } from '../../../runtime/logger.ts';
import { Turns } from '../../../runtime/turns.ts';
import type { AddedSummary, Store } from '../../../store/store.ts';

export interface FillerDeps {
  readonly store: Pick<Store, 'foldingEvents' | 'write'>;
  readonly logger: Logger;
}

/** A run that cannot be read keeps no other one from its summary. */
export async function fillSummary(
  { store, logger }: FillerDeps,
  workflowId: WorkflowId,
): Promise<void> {
  try {
    await store.write({ summaries: [await summaryOf(store, workflowId)] });
  } catch (error) {
    logger.warn({ err: error, workflowId }, 'A run has no summary: its events cannot be read.');
  }
}

/** An append that comes meanwhile brings a newer summary, which stays. */
async function summaryOf(
  store: Pick<Store, 'foldingEvents'>,
  workflowId: WorkflowId,
): Promise<AddedSummary> {
  const turns = new Turns();
  let run = emptyRun;
  let failure: FirstFailure | null = null;
  for (let seq = 1; ; ) {
    const events = await store.foldingEvents(workflowId, seq);
    if (events.length === 0) break;
    for (const { json, seq: at } of events) {
      const event = JSON.parse(json);
      const next = evolve(run, event);
      if (isRunEvent(event)) failure ??= firstFailureIn(run, next, [event])?.failure ?? null;
      run = next;
      seq = at + 1;
      if (turns.isOver) await turns.next();
    }
  }
  const redactor = createRedactor(run.masks);
  return {
    workflowId,
    json: JSON.stringify(redactor.document(runSummaryOf(run))),
    failure: failure === null ? null : JSON.stringify(redactor.document(failure)),
  };
}
