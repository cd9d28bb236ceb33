/** A store full of runs that are over. */
import type { Timestamp, WorkflowId } from '@tutti/manifests';
import { openSqliteStore } from '../../server/src/store/sqlite/sqlite-store.ts';
import type { Append } from '../../server/src/store/store.ts';

const AT = '2026-01-01T00:00:00.000000' as Timestamp;
const EVENTS = 12;
const EVENT = JSON.stringify({ kind: 'Notification', spec: { logs: ['x'.repeat(600)] } });
/** Appends under way at one time. */
const PORTION = 500;

/** Numbered from `from`. */
export async function writeFinishedRuns(file: string, count: number, from = 0): Promise<void> {
  const store = await openSqliteStore({ file });
  for (let done = 0; done < count; done += PORTION) {
    const some = Array.from({ length: Math.min(PORTION, count - done) }, (_, index) =>
      store.append(finishedRun(from + done + index)),
    );
    await Promise.all(some);
  }
  await store.close();
}

function finishedRun(number: number): Append {
  const workflowId = `00000000-0000-7000-8000-${String(number).padStart(12, '0')}` as WorkflowId;
  return {
    workflowId,
    expectedSeq: 0,
    events: Array.from({ length: EVENTS }, () => ({ kind: 'Notification', json: EVENT })),
    projection: {
      workflow: {
        workflowId,
        name: 'finished',
        namespace: 'default',
        status: 'DONE',
        live: false,
        workers: [],
        createdAt: AT,
        completedAt: AT,
      },
      logText: `[${AT}] one line of output\n`.repeat(EVENTS),
      attachments: [],
      testCases: [],
      jobs: [],
    },
    documents: [],
    outbox: [],
  };
}
