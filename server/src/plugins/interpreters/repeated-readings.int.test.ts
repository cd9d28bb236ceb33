/** A reading of a report that begins again in the same process, with a real store, bus and arranger. */
import { Readable } from 'node:stream';
import type { AttachmentId, RunEvent, WorkflowId } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { systemClock } from '../../runtime/clock.ts';
import {
  dataFolder,
  type RunningArranger,
  startArranger,
} from '../../services/arranger/testing.ts';
import type { Append, Store } from '../../store/store.ts';
import { interpretReports } from './interpreter-host.ts';

const NAMES = Array.from({ length: 100 }, (_, index) => `s#t${index}`);
const REPORT = `<testsuite name="s">${NAMES.map(
  (_, index) => `<testcase name="t${index}"><failure>${'x'.repeat(8000)}</failure></testcase>`,
).join('')}</testsuite>`;

test('a reading that begins before the commit is known, and then again, publishes each result once', async () => {
  const begun = Promise.withResolvers<void>();
  const stored = Promise.withResolvers<void>();
  let early: WorkflowId | null = null;
  let commitsWithResults = 0;
  const around = (store: Store): Store => ({
    ...store,
    // A reading looks at the log first.
    events: async (workflowId, ...rest) => {
      if (workflowId === early) begun.resolve();
      return await store.events(workflowId, ...rest);
    },
    append: async (append) => {
      if (append.workflowId !== early) return await store.append(append);
      if (hasResults(append)) commitsWithResults += 1;
      if (commitsWithResults === 2) {
        commitsWithResults += 1;
        throw new Error('The store is full.');
      }
      const result = await store.append(append);
      if (attaches(append)) {
        stored.resolve();
        await begun.promise;
      }
      return result;
    },
  });
  const running = await startReader(around);
  const [first, second] = [await runWithReport(running, 1), await runWithReport(running, 2)];
  early = first.workflowId;
  const attached = first.attach();
  await stored.promise;
  // With this commit the reader looks at all that waits for it: also at the report of the first run.
  await second.attach();
  await attached;
  await running.event(early, 'Notification', ({ spec }) => spec.worker?.status === 'teardown');
  const results = (await running.events(early)).flatMap((event) =>
    event.kind === 'Notification' ? (event.spec.testResults ?? []) : [],
  );
  expect(commitsWithResults).toBeGreaterThan(2);
  expect(results.map(({ name }) => name)).toEqual(NAMES);
});

async function startReader(around: (store: Store) => Store): Promise<RunningArranger> {
  let reads: Pick<Store, 'events'> | null = null;
  return await startArranger(await dataFolder(), {
    around: (store) => {
      reads = around(store);
      return around(store);
    },
    prepare: (bus) =>
      interpretReports({
        ...{ bus, clock: systemClock, apiGroup: 'opentestfactory.org' },
        store: { events: async (...args) => (await reads?.events(...args)) ?? null },
        blobs: {
          get: async () => ({ size: REPORT.length, content: Readable.from([Buffer.from(REPORT)]) }),
        },
      }),
  });
}

/** A run whose step has ended, but for its result, which attaches a report. */
async function runWithReport({ start, event, answer }: RunningArranger, number: number) {
  const workflowId = await start({ a: { 'runs-on': 'linux', steps: [{ run: 'true' }] } });
  const command = (sequence: number) =>
    event(workflowId, 'ExecutionCommand', ({ metadata }) => metadata.step_sequence_id === sequence);
  await answer(await command(-1));
  const step = await command(0);
  const uuid = `22222222-0000-0000-0000-00000000000${number}` as AttachmentId;
  const type = 'application/vnd.opentestfactory.junit-surefire+xml';
  const attachments = { [`/tmp/${uuid}_0_report.xml`]: { uuid, type } };
  return { workflowId, attach: () => answer(step, { attachments }) };
}

const eventsOf = ({ events }: Append): readonly RunEvent[] =>
  events.map(({ json }) => JSON.parse(json));

const hasResults = (append: Append): boolean =>
  eventsOf(append).some((event) => event.kind === 'Notification' && event.spec.testResults);

const attaches = (append: Append): boolean =>
  eventsOf(append).some((event) => event.kind === 'ExecutionResult' && event.metadata.attachments);
