import {
  type AttachmentId,
  type ExecutionResultEvent,
  formatTimestamp,
  type NotificationEvent,
  type ReportFormat,
  type RunEvent,
  type WorkflowId,
} from '@tutti/manifests';
import { emptyRun, type Run, testResultsWorkerId } from '@tutti/workflow';
import { expect, test, vi } from 'vitest';
import { createLogger } from '../../runtime/logger.ts';
import { createReportRecovery } from './report-recovery.ts';

const workflow_id = '11111111-0000-0000-0000-000000000000' as WorkflowId;
const metadata = {
  name: 'n',
  workflow_id,
  namespace: 'shop',
  creationTimestamp: formatTimestamp(0),
};
const apiVersion = 'opentestfactory.org/v1alpha1';
const type = (format: string) => `application/vnd.opentestfactory.tool-${format}`;

const attached = (...files: readonly (readonly [uuid: string, type: string])[]): RunEvent =>
  ({
    apiVersion,
    kind: 'ExecutionResult',
    metadata: {
      ...metadata,
      attachments: Object.fromEntries(
        files.map(([uuid, type]) => [`/tmp/${uuid}`, { uuid: uuid as AttachmentId, type }]),
      ),
    },
    status: 0,
    // Other fields are not read here.
  }) as unknown as ExecutionResultEvent;

const begun = (worker_id: string): NotificationEvent => ({
  apiVersion,
  kind: 'Notification',
  metadata,
  spec: { worker: { worker_id, status: 'setup' } },
});

const LAST = '99999999-0000-0000-0000-000000000000' as WorkflowId;

/** The repeated deliveries for a run with this log and these workers. */
async function recovered(log: readonly RunEvent[], workers: readonly string[]) {
  const delivered: (readonly [string, RunEvent])[] = [];
  const last = [attached(['z', type('tap')])];
  const run: Run = { ...emptyRun, workflowId: workflow_id, workers: new Set(workers) };
  const recovery = createReportRecovery({
    runs: {
      live: () => [run, { ...run, workflowId: LAST, workers: new Set([reader('tap', 'z')]) }],
    },
    store: {
      events: async (id, fromSeq, limit) => {
        const events = id === LAST ? last : log;
        const page = events.slice(fromSeq - 1, fromSeq - 1 + limit);
        const items = page.map((event) => JSON.stringify(event));
        return { items, total: events.length, workflow: {} as never };
      },
    },
    bus: { deliverAgain: async (name, event) => void delivered.push([name, event]) },
    logger: createLogger({ level: 'silent' }),
  });
  await recovery.start();
  // The other run is the last one that is looked at.
  await vi.waitFor(() => expect(delivered.at(-1)?.[1]).toEqual(last[0]), { timeout: 20_000 });
  await recovery.stop();
  return delivered.slice(0, -1);
}

const reader = (format: ReportFormat, uuid: string) =>
  testResultsWorkerId(uuid as AttachmentId, format);
const noise = Array.from({ length: 1500 }, () => begun('of somebody else'));

test('an event with reports that no worker began to read is delivered again, once', async () => {
  const event = attached(['a', type('trx+xml')], ['b', type('tap')]);
  const log = [...noise, event, ...noise];
  const workers = [reader('trx', 'a'), reader('tap', 'b')];
  expect(await recovered(log, workers)).toEqual([['interpreter-surefire', event]]);
});

test.each<[string, readonly RunEvent[], readonly string[]]>([
  ['a report that somebody has begun to read', [attached(['a', type('tap')]), begun(reader('tap', 'a'))], [reader('tap', 'a')]],
  ['a report that was read to its end', [attached(['a', type('tap')])], []],
  ['a file of another type', [attached(['a', 'text/plain'])], ['interpreter-other-a']],
])('%s is left to its owner', async (_what, log, workers) => {
  expect(await recovered(log, workers)).toEqual([]);
}); // biome-ignore format: a table
