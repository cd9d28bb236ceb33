import { Readable } from 'node:stream';
import type {
  AttachmentId,
  ExecutionResultEvent,
  JobId,
  NotificationEvent,
  RunEvent,
  StepId,
  TestResult,
  WorkflowId,
  WorkflowResultEvent,
} from '@tutti/manifests';
import { formatTimestamp } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import type { EventBus } from '../../bus/bus.ts';
import { interpretReports } from './interpreter-host.ts';
import { inBatches } from './read-results.ts';

const workflowId = '11111111-0000-0000-0000-000000000000' as WorkflowId;
const attachmentId = '22222222-0000-0000-0000-000000000000' as AttachmentId;
const TYPE = 'application/vnd.opentestfactory.junit-surefire+xml';
const path = `/tmp/33333333-0000-0000-0000-000000000000-${attachmentId}_0_my_report.xml`;
const STARTED = Date.UTC(2026, 0, 31);

/** A run with its log and its files, as the interpreter sees them. Publishing can be made to fail after some events. */
function createRun(files: Readonly<Record<string, string>>, failAfter = Number.POSITIVE_INFINITY) {
  const log: RunEvent[] = [];
  const limits = { failAfter };
  const handlers = new Map<string, (event: RunEvent) => Promise<void>>();
  const givesUp = new Map<string, (event: RunEvent) => Promise<void>>();
  let commit: (event: RunEvent) => void = () => undefined;
  const bus: Pick<EventBus, 'publish' | 'subscribe' | 'subscribeDurably'> = {
    subscribe: (kind, handler) => {
      const earlier = commit;
      commit = (event) => {
        earlier(event);
        if (event.kind === kind) handler(event as Parameters<typeof handler>[0]);
      };
      return () => undefined;
    },
    publish: async (event, { preceding = [] } = {}) => {
      if (log.length >= limits.failAfter) throw new Error('The store is full.');
      log.push(...preceding, event);
      return { outcome: 'accepted' };
    },
    subscribeDurably: (_name, kind, { takes: filter, handle: handler, giveUp }) => {
      givesUp.set(kind, async (event) => await giveUp?.(event as Parameters<typeof handler>[0]));
      handlers.set(kind, async (event) => {
        const own = event as Parameters<typeof handler>[0];
        if (filter(own)) await handler(own, new AbortController().signal);
      });
    },
  };
  const start = (): void => {
    commit = () => undefined;
    interpretReports({
      bus,
      store: {
        events: async (_id, fromSeq, limit) => ({
          items: log.slice(fromSeq - 1, fromSeq - 1 + limit).map((event) => JSON.stringify(event)),
          total: log.length,
          workflow: {} as never,
        }),
      },
      blobs: {
        get: async (key) => {
          const file = files[key];
          return file === undefined
            ? null
            : { size: file.length, content: Readable.from([Buffer.from(file)]) };
        },
      },
      clock: { timestamp: () => formatTimestamp(STARTED) },
      apiGroup: 'opentestfactory.org',
    });
  };
  start();
  const hearAgain = async (event: RunEvent): Promise<void> =>
    await handlers.get(event.kind)?.(event);
  const hear = async (event: RunEvent): Promise<void> => {
    commit(event);
    await hearAgain(event);
  };
  const giveUp = async (event: RunEvent): Promise<void> => await givesUp.get(event.kind)?.(event);
  return { log, limits, hear, hearAgain, giveUp, start };
}

function resultEvent(type: string): ExecutionResultEvent {
  return {
    apiVersion: 'opentestfactory.org/v1alpha1',
    kind: 'ExecutionResult',
    metadata: {
      name: 'run',
      workflow_id: workflowId,
      namespace: 'shop',
      creationTimestamp: formatTimestamp(STARTED + 1),
      job_id: 'j' as JobId,
      job_origin: [],
      step_id: 's' as StepId,
      step_origin: ['p' as StepId],
      step_sequence_id: 0,
      attachments: { [path]: { uuid: attachmentId, type } },
    },
    status: 1,
    attachments: [path],
  };
}

const notifications = (log: readonly RunEvent[]): readonly NotificationEvent[] =>
  log.filter((event) => event.kind === 'Notification');
const specs = (log: readonly RunEvent[]) => notifications(log).map(({ spec }) => spec);
const faults = (log: readonly RunEvent[]) =>
  specs(log).flatMap((spec) => Object(spec)['tutti.broken-report'] ?? []);
const results = (log: readonly RunEvent[]): readonly TestResult[] =>
  specs(log).flatMap((spec) => spec.testResults ?? []);

const worker = (status: 'setup' | 'teardown') => ({
  worker: { worker_id: `interpreter-surefire-${attachmentId}`, status },
});
const blobKey = `${workflowId}/${attachmentId}`;
const report = (count: number, text = ''): string =>
  `<testsuite name="s">${Array.from(
    { length: count },
    (_, index) => `<testcase name="t${index}"><failure>${text}</failure></testcase>`,
  ).join('')}</testsuite>`;

describe('a report that a step attached', () => {
  test('becomes test results between the set-up and the teardown of a worker', async () => {
    const run = createRun({
      [blobKey]: '<testsuite><testcase classname="c" name="t" time="2"/></testsuite>',
    });
    await run.hear(resultEvent(TYPE));
    expect(specs(run.log)).toEqual([
      worker('setup'),
      {
        testResults: [
          {
            id: expect.stringMatching(
              /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
            ),
            name: 'c#t',
            suite: 'c',
            status: 'SUCCESS',
            duration: 2000,
            attachment_origin: attachmentId,
          },
        ],
      },
      worker('teardown'),
    ]);
    expect(notifications(run.log)[1]?.metadata).toEqual({
      name: 'test results',
      workflow_id: workflowId,
      namespace: 'shop',
      creationTimestamp: formatTimestamp(STARTED),
      job_id: 'j',
      job_origin: [],
      step_id: 's',
      step_origin: ['p'],
      step_sequence_id: 0,
      attachment_origin: [attachmentId],
    });
  });

  test('with another type is left alone', async () => {
    const run = createRun({ [blobKey]: report(1) });
    await run.hear(resultEvent('application/xml'));
    expect(run.log).toEqual([]);
  });

  test('with an unreadable end is reported in the log, and earlier results count', async () => {
    const run = createRun({ [blobKey]: '<testsuite>\n<testcase name="a"/>\n<testcase' });
    await run.hear(resultEvent(TYPE));
    expect(results(run.log)).toHaveLength(1);
    const message = expect.stringMatching(
      /^Could not read all test results of my_report\.xml: line 3, column \d+: .*\.$/,
    );
    expect(specs(run.log).slice(2)).toEqual([
      { 'tutti.general-errors': [{ message, timestamp: formatTimestamp(STARTED) }] },
      {
        logs: [
          expect.stringMatching(
            /^ERROR,Could not read all test results of my_report\.xml: line 3, column \d+: .*\. Test results read before: 1\.$/,
          ),
        ],
        'tutti.broken-report': {
          file: 'my_report.xml',
          problem: expect.stringMatching(
            /^It cannot be read to its end: line 3, column \d+: unclosed tag: testsuite\.$/,
          ),
          testCases: 1,
          isCut: true,
        },
      },
      worker('teardown'),
    ]);
  });

  test('with missing parts is reported in the log, with all its results', async () => {
    const run = createRun({ [blobKey]: 'ok 1 - a\nok 2 - b\n' });
    await run.hear(resultEvent(TYPE.replace('junit-surefire+xml', 'prove-tap')));
    expect(results(run.log)).toHaveLength(2);
    const message = 'The report has no plan: it may have been cut off.';
    expect(specs(run.log).slice(2, 4)).toEqual([
      { 'tutti.general-errors': [{ message, timestamp: formatTimestamp(STARTED) }] },
      {
        logs: [`WARNING,Test results of my_report.xml may be missing: ${message}`],
        'tutti.broken-report': {
          file: 'my_report.xml',
          problem: message,
          testCases: 2,
          isCut: false,
        },
      },
    ]);
  });

  test('with errors of whole suites reports them after the results, each as one result', async () => {
    const failed = (name: string, message: string) =>
      `<testsuite name="${name}"><error message="${message}"/></testsuite>`;
    const content = `<testsuites>${failed('db', 'no host')}${report(1)}${failed('ui', 'no browser')}</testsuites>`;
    const run = createRun({ [blobKey]: content });
    await run.hear(resultEvent(TYPE));
    const names = results(run.log).map(({ name, status }) => `${name} ${status}`);
    expect(names).toEqual(['db#db ERROR', 's#t0 FAILURE', 'ui#ui ERROR']);
    const timestamp = formatTimestamp(STARTED);
    expect(specs(run.log).slice(2)).toEqual([
      {
        'tutti.general-errors': [
          { message: 'db: no host', timestamp },
          { message: 'ui: no browser', timestamp },
        ],
      },
      worker('teardown'),
    ]);
  });

  test.each([
    [
      'that ends before its first test case',
      '<testsuite>',
      'line 1, column 11: unclosed tag: testsuite',
    ],
    [
      'that is no report',
      '<html/>',
      'line 1, column 7: the document begins with <html>, expected <testsuites> or <testsuite>',
    ],
    ['that is empty', '', 'the file is empty'],
  ])('%s has no test case to show an error with', async (_what, content, why) => {
    const run = createRun({ [blobKey]: content });
    await run.hear(resultEvent(TYPE));
    expect(specs(run.log)).toEqual([
      worker('setup'),
      {
        logs: [
          `ERROR,Could not read all test results of my_report.xml: ${why}. Test results read before: 0.`,
        ],
        'tutti.broken-report': {
          file: 'my_report.xml',
          problem: `It cannot be read: ${why}.`,
          testCases: 0,
          isCut: true,
        },
      },
      worker('teardown'),
    ]);
  });

  test('without test cases is reported in the log, and is not broken', async () => {
    const run = createRun({ [blobKey]: '<testsuite/>' });
    await run.hear(resultEvent(TYPE));
    const logs = ['WARNING,No test results in my_report.xml.'];
    expect(specs(run.log)).toEqual([worker('setup'), { logs }, worker('teardown')]);
  });

  test('without its file is reported in the log', async () => {
    const run = createRun({});
    await run.hear(resultEvent(TYPE));
    expect(specs(run.log)).toEqual([
      worker('setup'),
      {
        logs: ['ERROR,Could not read the test results of my_report.xml: no content.'],
        'tutti.broken-report': {
          file: 'my_report.xml',
          problem: 'It cannot be read: the server does not have the file.',
          testCases: 0,
          isCut: true,
        },
      },
      worker('teardown'),
    ]);
  });

  test('with many results is published in events of less than 256 KiB', async () => {
    const run = createRun({ [blobKey]: report(100, 'é'.repeat(8000)) });
    await run.hear(resultEvent(TYPE));
    expect(results(run.log)).toHaveLength(100);
    for (const event of run.log) {
      expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(256 * 1024);
    }
  });
});

test('a report among the results of a workflow is read, too', async () => {
  const run = createRun({ [blobKey]: report(1) });
  const { attachments, ...metadata } = resultEvent(TYPE).metadata;
  const event: WorkflowResultEvent = {
    apiVersion: 'opentestfactory.org/v1alpha1',
    kind: 'WorkflowResult',
    metadata: { ...metadata, attachments: attachments ?? {} },
    attachments: [path],
  };
  await run.hear(event);
  expect(results(run.log)).toHaveLength(1);
  expect(notifications(run.log)[0]?.metadata).not.toHaveProperty('step_id');
});

describe('a reading that was interrupted', () => {
  const cases = report(100, 'x'.repeat(8000)).replace(
    '</testsuite>',
    '<error message="e"/></testsuite>',
  );
  const files = { [blobKey]: cases };

  test.each([0, 1, 2, 3, 4, 5, 6, 7])(
    'after %d events goes on when asked again',
    async (failAfter) => {
      const whole = createRun(files);
      await whole.hear(resultEvent(TYPE));
      const run = createRun(files, failAfter);
      await expect(run.hear(resultEvent(TYPE))).rejects.toThrow('The store is full.');
      run.limits.failAfter = Number.POSITIVE_INFINITY;
      await run.hearAgain(resultEvent(TYPE));
      expect(results(run.log)).toEqual(results(whole.log));
      const errors = specs(run.log).flatMap((spec) => Object(spec)['tutti.general-errors'] ?? []);
      expect(errors.map(({ message }) => message)).toEqual(['s: e']);
      expect(specs(run.log).at(-1)).toEqual(worker('teardown'));
    },
  );

  test.each([0, 1, 2, 3, 4, 5, 6, 7])(
    'after %d events tells once that the report is broken',
    async (failAfter) => {
      const broken = { [blobKey]: cases.replace('</testsuite>', '') };
      const run = createRun(broken, failAfter);
      await expect(run.hear(resultEvent(TYPE))).rejects.toThrow('The store is full.');
      run.limits.failAfter = Number.POSITIVE_INFINITY;
      await run.hearAgain(resultEvent(TYPE));
      expect(faults(run.log)).toMatchObject([{ testCases: 101, isCut: true }]);
      expect(specs(run.log).flatMap(({ logs }) => logs ?? [])).toHaveLength(1);
    },
  );

  test('goes on in the next process', async () => {
    const run = createRun(files, 3);
    await expect(run.hear(resultEvent(TYPE))).rejects.toThrow('The store is full.');
    run.limits.failAfter = Number.POSITIVE_INFINITY;
    run.start();
    await run.hearAgain(resultEvent(TYPE));
    const names = Array.from({ length: 100 }, (_, index) => `s#t${index}`);
    expect(results(run.log).map(({ name }) => name)).toEqual([...names, 's#s']);
  });

  test('is not begun again when it was complete', async () => {
    const run = createRun(files);
    await run.hear(resultEvent(TYPE));
    const before = run.log.length;
    run.start();
    await run.hearAgain(resultEvent(TYPE));
    expect(run.log).toHaveLength(before);
  });
});

test('an abandoned report ends its worker, and the log reports it', async () => {
  const run = createRun({ [blobKey]: report(100, 'x'.repeat(8000)) }, 2);
  await expect(run.hear(resultEvent(TYPE))).rejects.toThrow('The store is full.');
  run.limits.failAfter = Number.POSITIVE_INFINITY;
  await run.giveUp(resultEvent(TYPE));
  expect(specs(run.log).slice(2)).toEqual([
    {
      logs: ['ERROR,Could not read the test results of my_report.xml.'],
      'tutti.broken-report': {
        file: 'my_report.xml',
        problem: 'The server could not read it, and tried several times.',
        testCases: 8,
        isCut: true,
      },
    },
    worker('teardown'),
  ]);
  const actual = run.log.length;
  await run.giveUp(resultEvent(TYPE));
  expect(run.log).toHaveLength(actual);
});

test('results that were read before an error are given out before the error', async () => {
  const result = { id: 'r' } as TestResult;
  async function* broken(): AsyncGenerator<TestResult> {
    yield result;
    throw new Error('cut');
  }
  const batches = inBatches(broken());
  expect(await batches.next()).toEqual({ done: false, value: [result] });
  await expect(batches.next()).rejects.toThrow('cut');
});
