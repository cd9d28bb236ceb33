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

export type FoldedLogs = ReadonlyMap<WorkflowId, FoldedLog>;

/** Logs that are read beside each other. */
const AT_A_TIME = 64;
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
export async function foldLiveLogs(store: Pick<Store, 'liveEvents'>): Promise<FoldedLogs> {
  const turns = new Turns();
  const logs = new Map<WorkflowId, FoldedLog>();
  for await (const events of livePages(store)) {
    for (const event of events) {
      logs.set(event.workflowId, folded(logs.get(event.workflowId) ?? EMPTY, event));
      if (turns.isOver) await turns.next();
    }
  }
  return logs;
}

/** The same after a while. Reads the logs that are new or have grown; those of runs that are over are left out. */
export async function foldGrownLogs(
  store: Pick<Store, 'liveLengths' | 'foldingEvents'>,
  before: FoldedLogs,
): Promise<FoldedLogs> {
  const logs = new Map<WorkflowId, FoldedLog>();
  const grown: WorkflowId[] = [];
  for (const [workflowId, length] of await store.liveLengths()) {
    const log = before.get(workflowId) ?? EMPTY;
    // Also where it will be replaced: the order is that of all.
    logs.set(workflowId, log);
    if (log.seq !== length) grown.push(workflowId);
  }
  while (grown.length > 0) {
    const some = grown.splice(0, AT_A_TIME);
    const read = await Promise.all(some.map((workflowId) => foldLog(store, workflowId)));
    for (const log of read) logs.set(log.run.workflowId, log);
  }
  return logs;
}

/** A database in another process reads the next page while one is folded. */
async function* livePages(
  store: Pick<Store, 'liveEvents'>,
): AsyncGenerator<readonly FoldingEvent[]> {
  for (let coming = store.liveEvents(null); ; ) {
    const page = await coming;
    const last = page.at(-1);
    if (last === undefined) return;
    coming = store.liveEvents(last);
    // Its failure is seen by the loop, which awaits it later.
    coming.catch(() => undefined);
    yield page;
  }
}

function folded({ run }: FoldedLog, { json, total, size }: FoldingEvent): FoldedLog {
  return { run: evolve(run, JSON.parse(json)), seq: total, size };
}
