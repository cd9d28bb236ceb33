/** A store full of runs that are over. */
import type { LoggedEvent, Timestamp, WorkflowId } from '@tutti/manifests';
import { emptyRun, evolve, runSummaryOf } from '@tutti/workflow';
import { openSqliteStore } from '../../server/src/store/sqlite/sqlite-store.ts';
import type { Append } from '../../server/src/store/store.ts';

const AT = '2026-01-01T00:00:00.000000' as Timestamp;
const EVENTS = 12;
const LINES = ['x'.repeat(600)];
/** Appends under way at one time. */
const PORTION = 500;

const sameName = (_number: number): string => 'finished';

/** Numbered from `from`. */
export async function writeFinishedRuns(
  file: string,
  count: number,
  { from = 0, nameOf = sameName } = {},
): Promise<void> {
  const store = await openSqliteStore({ file });
  for (let done = 0; done < count; done += PORTION) {
    const numbers = Array.from({ length: Math.min(PORTION, count - done) }, (_, at) => done + at);
    const some = numbers.map((number) =>
      store.append(finishedRun(from + number, nameOf(from + number))),
    );
    await Promise.all(some);
  }
  await store.close();
}

/** The manifest of a run, then its output. */
function eventsOf(workflowId: WorkflowId, name: string): readonly LoggedEvent[] {
  const metadata = { name, workflow_id: workflowId, creationTimestamp: AT };
  const jobs = { only: { 'runs-on': 'linux', steps: [{ run: 'true' }] } };
  const output = { apiVersion: 'v1', kind: 'Notification', metadata, spec: { logs: LINES } };
  return [
    { apiVersion: 'opentestfactory.org/v1', kind: 'Workflow', metadata, jobs },
    ...Array.from({ length: EVENTS - 1 }, () => output),
  ] as unknown as readonly LoggedEvent[];
}

function finishedRun(number: number, name: string): Append {
  const workflowId = `00000000-0000-7000-8000-${String(number).padStart(12, '0')}` as WorkflowId;
  const events = eventsOf(workflowId, name);
  const summary = JSON.stringify(runSummaryOf(events.reduce(evolve, emptyRun)));
  return {
    workflowId,
    expectedSeq: 0,
    events: events.map((event) => ({ kind: event.kind, json: JSON.stringify(event) })),
    projection: {
      workflow: {
        workflowId,
        name,
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
      summary: { json: summary, failure: null, lines: 0 },
    },
    documents: [],
    outbox: [],
  };
}
