/** Appends to a store as a busy server makes them: two events at a time, from many callers. */
import type { Timestamp, WorkflowId } from '@tutti/manifests';
import type { Append, Projection, Store } from '../../server/src/store/store.ts';
import { timed } from './benchmark.ts';

const CALLERS = 50;
const AT = '2026-01-01T00:00:00.000000' as Timestamp;
export const EVENT = JSON.stringify({ kind: 'Notification', spec: { logs: ['x'.repeat(700)] } });
const NOTHING = { attachments: [], testCases: [], jobs: [] } as const;

/** Appends per second. Each of 50 callers waits for one before its next. `round` gives the runs ids of their own. */
export async function appendRate(store: Store, round: number, each: number): Promise<number> {
  const runs = Array.from({ length: CALLERS }, (_, caller) => workflowId(round * CALLERS + caller));
  const elapsedMs = await timed(() => Promise.all(runs.map((id) => appendMany(store, id, each))));
  return (CALLERS * each * 1000) / elapsedMs;
}

const workflowId = (number: number): WorkflowId =>
  `00000000-0000-7000-8000-${String(number).padStart(12, '0')}` as WorkflowId;

async function appendMany(store: Store, id: WorkflowId, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await store.append(twoEvents(id, index * 2));
}

function twoEvents(id: WorkflowId, expectedSeq: number): Append {
  const logText = `[${AT}] [job ${id}] one line of output of a step\n`;
  return {
    workflowId: id,
    expectedSeq,
    events: [
      { kind: 'Notification', json: EVENT },
      { kind: 'Notification', json: EVENT },
    ],
    projection: expectedSeq === 0 ? firstProjection(id) : { ...NOTHING, logText, workflow: null },
    documents: [],
    outbox: [],
  };
}

function firstProjection(id: WorkflowId): Projection {
  const times = { createdAt: AT, completedAt: null };
  const row = { name: 'bench', namespace: 'default', status: 'RUNNING', live: true } as const;
  return { ...NOTHING, logText: '', workflow: { workflowId: id, workers: [], ...row, ...times } };
}
