/** Folds the logs of runs. Events that fold nothing, as output, are not read. */
import type { WorkflowId } from '@tutti/manifests';
import { emptyRun, evolve, type Run } from '@tutti/workflow';
import { Turns } from '../../runtime/turns.ts';
import type { FoldingEvent, Store } from '../../store/store.ts';

export interface FoldedLog {
  readonly run: Run;
  /** Length of the log. */
  readonly seq: number;
  /** Size of its events as JSON, in UTF-16 code units. */
  readonly size: number;
}

const EMPTY: FoldedLog = { run: emptyRun, seq: 0, size: 0 };

/** The log of an unknown run is empty. */
export async function foldLog(
  store: Pick<Store, 'foldingEvents'>,
  workflowId: WorkflowId,
): Promise<FoldedLog> {
  const turns = new Turns();
  let log = EMPTY;
  for (let seq = 1; ; ) {
    const events = await store.foldingEvents(workflowId, seq);
    for (const event of events) {
      log = folded(log, event);
      seq = event.seq + 1;
      if (turns.isOver) await turns.next();
    }
    if (events.length === 0) return log;
  }
}

/** The logs of all live runs, in the order of their begin. */
export async function* foldLiveLogs(store: Pick<Store, 'liveEvents'>): AsyncGenerator<FoldedLog> {
  const turns = new Turns();
  let log = EMPTY;
  for (let after: FoldingEvent | null = null; ; ) {
    const events: readonly FoldingEvent[] = await store.liveEvents(after);
    for (const event of events) {
      if (after !== null && after.workflowId !== event.workflowId) {
        yield log;
        log = EMPTY;
      }
      log = folded(log, event);
      after = event;
      if (turns.isOver) await turns.next();
    }
    if (events.length === 0) break;
  }
  if (log !== EMPTY) yield log;
}

function folded({ run }: FoldedLog, { json, total, size }: FoldingEvent): FoldedLog {
  return { run: evolve(run, JSON.parse(json)), seq: total, size };
}
