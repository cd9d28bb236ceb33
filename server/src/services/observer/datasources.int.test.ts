/** The route with a real store (specification 4.5, clients facts 3.7). */
import {
  type AttachmentId,
  formatTimestamp,
  type JobId,
  type StepId,
  type TestResult,
  type Timestamp,
  type WorkflowId,
} from '@tutti/manifests';
import {
  jobManifest,
  outcomeOf,
  type RunOfItem,
  type TestOrigin,
  testCaseKey,
  testCaseManifest,
} from '@tutti/workflow';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Access } from '../../auth/access.ts';
import { openStoreFolder, silentLogger } from '../../bus/testing.ts';
import { createApp } from '../../http/app.ts';
import { createIds, systemClock } from '../../runtime/clock.ts';
import { loadConfig } from '../../runtime/config.ts';
import type { JobRow, Projection, Store, TestCaseRow, WorkflowRow } from '../../store/store.ts';
import { datasourceRoutes } from './datasources.ts';

const API_GROUP = 'opentestfactory.org';
const workflowId = 'aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb' as WorkflowId;
const at = (seconds: number): Timestamp => formatTimestamp(Date.UTC(2026, 0, 31, 12, 0, seconds));
const run: RunOfItem = { id: workflowId, name: 'nightly', namespace: 'shop' };

const origin = (jobName: string, technology: string): TestOrigin => ({
  jobId: `job-${jobName}` as JobId,
  jobName,
  jobKey: jobName,
  runsOn: ['linux', jobName],
  stepId: 's' as StepId,
  uses: `${technology}/execute@v1`,
  test: 'cart',
  technology,
  managed: null,
  creationTimestamp: at(1),
  startTime: at(2),
  endTime: at(3),
});

function testCaseRow(from: TestOrigin, name: string, status: TestResult['status']): TestCaseRow {
  const result: TestResult = {
    id: `result-${name}-${status}`,
    name: `suite#${name}`,
    suite: 'suite',
    status,
    duration: 5,
    attachment_origin: 'a' as AttachmentId,
  };
  return {
    key: testCaseKey(from, result),
    jobId: from.jobId,
    precedence: 0,
    outcome: outcomeOf(status),
    durationMs: result.duration,
    startedAt: from.startTime,
    endedAt: from.endTime,
    json: JSON.stringify(
      testCaseManifest({ apiGroup: API_GROUP, workflow: run, origin: from, result }),
    ),
  };
}

function jobRow({ jobId, jobName, runsOn }: TestOrigin): JobRow {
  const manifest = jobManifest(API_GROUP, run, {
    jobId,
    name: jobName,
    runsOn,
    variables: {},
    phase: 'SUCCEEDED',
    requestTime: at(1),
    startTime: at(2),
    endTime: at(4),
  });
  return { jobId, json: JSON.stringify(manifest) };
}

const junit = origin('unit', 'junit');
const cypress = origin('ui', 'cypress');
const someTestCases = [
  testCaseRow(junit, 'one', 'SUCCESS'),
  testCaseRow(junit, 'two', 'FAILURE'),
  testCaseRow(cypress, 'three', 'SKIPPED'),
];

interface Given {
  /** Earlier runs of a name, with these test cases. */
  readonly earlier?: readonly {
    readonly name: string;
    readonly testCases: readonly TestCaseRow[];
  }[];
  readonly workflow?: Partial<WorkflowRow>;
  readonly testCases?: readonly TestCaseRow[];
  readonly jobs?: readonly JobRow[];
  readonly namespaces?: ReadonlySet<string> | '*';
}

const earlierId = (index: number) => `aaaaaaaa-1111-4222-8333-00000000000${index}` as WorkflowId;

async function addEarlier(store: Store, earlier: NonNullable<Given['earlier']>): Promise<void> {
  for (const [index, { name, testCases }] of earlier.entries()) {
    const id = earlierId(index);
    const times = { createdAt: at(0), completedAt: at(0) };
    const ended = { status: 'DONE', live: false, workers: [], ...times } as const;
    const workflow = { workflowId: id, name, namespace: run.namespace, ...ended };
    await store.append({
      workflowId: id,
      expectedSeq: 0,
      events: [{ kind: 'Workflow', json: '{}' }],
      projection: { workflow, logText: '', attachments: [], testCases, jobs: [] },
      documents: [],
      outbox: [],
    });
  }
}

async function setUp({
  earlier = [],
  workflow,
  testCases = [],
  jobs = [],
  namespaces = '*',
}: Given = {}) {
  const store: Store = await (await openStoreFolder()).open();
  await addEarlier(store, earlier);
  await store.forget(earlier.map((_, index) => earlierId(index)).slice(0, 1));
  const projection: Projection = {
    workflow: {
      workflowId,
      name: run.name,
      namespace: run.namespace,
      status: 'DONE',
      live: false,
      workers: [],
      createdAt: at(0),
      completedAt: at(9),
      ...workflow,
    },
    logText: '',
    attachments: [],
    testCases,
    jobs,
  };
  await store.append({
    workflowId,
    expectedSeq: 0,
    events: [{ kind: 'Workflow', json: '{}' }],
    projection,
    documents: [],
    outbox: [],
  });
  const access: Access = { subject: 'tester', keyId: 'a key', namespaces: () => namespaces };
  const app = createApp({
    authenticator: { authenticate: async () => access },
    logger: silentLogger,
    ids: createIds(systemClock),
    config: loadConfig({ env: {} }),
    version: '0.0.0',
  });
  onTestFinished(() => app.close());
  datasourceRoutes({ store })(app);
  // A real listener: a long answer continues only after its reader took the piece before.
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  return async (path: string, query: Record<string, string> = {}) => {
    const url = path.startsWith('/') ? path : `/workflows/${workflowId}/datasources/${path}`;
    const response = await fetch(`${address}${url}?${new URLSearchParams(query)}`);
    const body = JSON.parse(await response.text());
    return { headers: Object.fromEntries(response.headers), body, items: body.details?.items };
  };
}

const running = { status: 'RUNNING', live: true, completedAt: null } as const;
const names = (items: readonly { metadata: { name: string } }[]): readonly string[] =>
  items.map(({ metadata }) => metadata.name);

describe('the test cases', () => {
  test('are manifests, in the order of their first execution', async () => {
    const get = await setUp({ testCases: someTestCases });
    const { body, items } = await get('testcases');
    expect(body).toMatchObject({ code: 200, reason: 'OK', message: '' });
    expect(names(items)).toEqual(['suite#one', 'suite#two', 'suite#three']);
    expect(items[0]).toEqual({
      ...JSON.parse(someTestCases[0]?.json ?? ''),
      metadata: { ...JSON.parse(someTestCases[0]?.json ?? '').metadata, executions: 1 },
      test: {
        ...JSON.parse(someTestCases[0]?.json ?? '').test,
        history: { state: 'new', flakeRate: 0, failures: 0, executions: 0 },
        newlyFailed: false,
        retried: false,
        flaked: false,
        quarantined: false,
      },
    });
  });

  // HTTP 2.6: Earlier executions, also of earlier runs, are the history of the newest.
  test('that ran again show the newest execution and the earlier ones', async () => {
    const again = testCaseRow(junit, 'two', 'SUCCESS');
    const get = await setUp({ testCases: [...someTestCases, again] });
    const { items } = await get('testcases');
    expect(items).toHaveLength(3);
    expect(items[1]).toMatchObject({
      metadata: { executions: 2 },
      status: 'SUCCESS',
      executionHistory: [{ status: 'FAILURE', outcome: 'failure' }],
    });
  });

  test('from earlier runs of the workflow are shown, also of deleted runs', async () => {
    const earlier = [
      { name: run.name, testCases: [testCaseRow(junit, 'two', 'ERROR')] },
      { name: 'other', testCases: [testCaseRow(junit, 'two', 'ERROR')] },
      { name: run.name, testCases: [testCaseRow(junit, 'two', 'SUCCESS')] },
    ];
    const get = await setUp({ earlier, testCases: someTestCases });
    const { items } = await get('testcases');
    const times = { startTime: at(2), endTime: at(3), duration: 5 };
    expect(items[0]).not.toHaveProperty('executionHistory');
    expect(items[1]).toMatchObject({ metadata: { executions: 3 } });
    expect(items[1].executionHistory).toEqual([
      { workflow_id: earlierId(0), status: 'ERROR', outcome: 'error', ...times },
      { workflow_id: earlierId(2), status: 'SUCCESS', outcome: 'success', ...times },
    ]);
  });

  test.each([
    ['metadata.executions==2', ['suite#two']],
    ['metadata.executions!=2', ['suite#one', 'suite#three']],
    ['executionHistory', ['suite#two']],
    ['!executionHistory,status==SUCCESS', ['suite#one']],
  ])('are chosen by %s with their earlier executions', async (fieldSelector, expected) => {
    const earlier = [{ name: run.name, testCases: [testCaseRow(junit, 'two', 'ERROR')] }];
    const get = await setUp({ earlier, testCases: someTestCases });
    expect(names((await get('testcases', { fieldSelector })).items)).toEqual(expected);
  });

  test('come in pages with links', async () => {
    const get = await setUp({ testCases: someTestCases });
    const { headers, items } = await get('testcases', { page: '2', per_page: '1' });
    expect(names(items)).toEqual(['suite#two']);
    expect(headers.link).toContain('datasources/testcases?page=3&per_page=1>; rel="next"');
  });

  test.each([
    ["test.technology == 'junit'", ['suite#one', 'suite#two']],
    [`$\{{ test.outcome == 'failure' }}`, ['suite#two']],
    ["test.technology == 'junit' && test.outcome == 'success'", ['suite#one']],
    ["contains(test.runs-on, 'ui')", ['suite#three']],
    ['true', ['suite#one', 'suite#two', 'suite#three']],
    ['  ', ['suite#one', 'suite#two', 'suite#three']],
  ])('in scope of %s', async (scope, expected) => {
    const get = await setUp({ testCases: someTestCases });
    expect(names((await get('testcases', { scope })).items)).toEqual(expected);
  });

  test('in scope come in pages, too', async () => {
    const get = await setUp({ testCases: someTestCases });
    const query = { scope: "test.technology == 'junit'", per_page: '1' };
    const first = await get('testcases', query);
    expect(names(first.items)).toEqual(['suite#one']);
    expect(first.headers.link).toContain('rel="next"');
    const second = await get('testcases', { ...query, page: '2' });
    expect(names(second.items)).toEqual(['suite#two']);
    expect(second.headers.link).not.toContain('rel="next"');
  });

  test('outside of the scope give an empty list with a message', async () => {
    const get = await setUp({ testCases: someTestCases });
    const { body } = await get('testcases', { scope: "test.job == 'x'" });
    expect(body).toMatchObject({
      code: 200,
      message: "No test cases matching scope test.job == 'x'.",
      details: { items: [] },
    });
  });

  test('can be chosen by a field selector', async () => {
    const get = await setUp({ testCases: someTestCases });
    const { headers, items } = await get('testcases', { fieldSelector: 'status==FAILURE' });
    expect(names(items)).toEqual(['suite#two']);
    expect(headers['x-processed-query']).toBe('fieldSelector');
  });

  test('in large numbers are all found', async () => {
    const many = Array.from({ length: 1203 }, (_, index) =>
      testCaseRow(junit, `t${index}`, index % 2 === 0 ? 'SUCCESS' : 'ERROR'),
    );
    const get = await setUp({ testCases: many, jobs: [jobRow(junit)] });
    const scope = "test.outcome == 'error'";
    const { items } = await get('testcases', { scope, per_page: '1000' });
    expect(items).toHaveLength(601);
    const { items: jobs } = await get('jobs', { scope });
    expect(jobs[0].status.testCaseStatusSummary).toMatchObject({ success: 0, error: 601 });
  });

  test('in very large numbers are not counted to the end for a selected page, and all are found', async () => {
    const many = Array.from({ length: 4_900 }, (_, index) =>
      testCaseRow(junit, `t${index}`, index % 5 === 0 ? 'ERROR' : 'SUCCESS'),
    );
    const get = await setUp({ testCases: many });
    const query = { scope: "test.outcome == 'error'", per_page: '300' };
    const pages = [];
    for (const page of ['1', '2', '3', '4']) {
      pages.push(await get('testcases', { ...query, page }));
    }
    const found = pages.flatMap(({ items }) => names(items));
    const expected = Array.from({ length: 980 }, (_, index) => `suite#t${index * 5}`);
    expect(found).toEqual(expected);
    // The end is near enough to the third page to be counted to.
    const relations = pages.map(({ headers }) => String(headers.link).match(/(?<=rel=")\w+/g));
    expect(relations).toEqual([
      ['next'],
      ['first', 'prev', 'next'],
      ['first', 'prev', 'next', 'last'],
      ['first', 'prev'],
    ]);
    expect(names((await get('testcases', { ...query, page: '3' })).items)).toEqual(
      expected.slice(600, 900),
    );
  });
});

describe('jobs and tags', () => {
  const given = { testCases: someTestCases, jobs: [jobRow(junit), jobRow(cypress)] };

  test('count their test cases', async () => {
    const get = await setUp(given);
    const { items: jobs } = await get('jobs');
    expect(names(jobs)).toEqual(['unit', 'ui']);
    expect(jobs[0].status).toMatchObject({
      testCaseCount: 2,
      testCaseStatusSummary: { success: 1, failure: 1, error: 0, skipped: 0, cancelled: 0 },
    });
    const { items: tags } = await get('tags');
    expect(names(tags)).toEqual(['linux', 'unit', 'ui']);
    expect(tags[0].status).toMatchObject({ jobCount: 2, testCaseCount: 3 });
  });

  test('count only test cases in scope, down to zero', async () => {
    const get = await setUp(given);
    const { items: jobs } = await get('jobs', { scope: "test.outcome == 'failure'" });
    expect(
      jobs.map((job: { status: { testCaseCount: number } }) => job.status.testCaseCount),
    ).toEqual([1, 0]);
    const { body } = await get('tags', { scope: 'false' });
    expect(body).toMatchObject({ code: 200, message: '' });
    expect(body.details.items[0].status).toMatchObject({ jobCount: 2, testCaseCount: 0 });
  });

  test('come in pages, and by field selector', async () => {
    const get = await setUp(given);
    expect(names((await get('tags', { page: '2', per_page: '2' })).items)).toEqual(['ui']);
    const { items } = await get('jobs', { fieldSelector: 'metadata.name!=unit' });
    expect(names(items)).toEqual(['ui']);
  });
});

describe('the state of a data source', () => {
  test.each(['jobs', 'tags'])(
    'of a running workflow without %s is told by 202 and empty details',
    async (kind) => {
      const get = await setUp({ workflow: running });
      const { body } = await get(kind);
      expect(body).toMatchObject({ code: 202, reason: 'Accepted', status: 'Success', details: {} });
    },
  );

  test('for a workflow that waits for its first environment is 202, also if one of its jobs ended', async () => {
    const workflow = { ...running, status: 'PENDING' } as const;
    const get = await setUp({ workflow, testCases: someTestCases, jobs: [jobRow(junit)] });
    for (const kind of ['jobs', 'tags']) {
      expect((await get(kind)).body).toMatchObject({ code: 202, details: {} });
    }
  });

  test.each(['PENDING', 'RUNNING'] as const)(
    'of a %s workflow without test cases is ONGOING, with an empty list',
    async (status) => {
      const get = await setUp({ workflow: { ...running, status } });
      const { body } = await get('testcases');
      expect(body).toMatchObject({ code: 200, details: { items: [], status: 'ONGOING' } });
    },
  );

  test('has test cases before it has jobs', async () => {
    const get = await setUp({ workflow: running, testCases: someTestCases });
    expect((await get('testcases')).body.code).toBe(200);
    expect((await get('jobs')).body.code).toBe(202);
  });

  test.each([
    [{ ...running }, { status: 'ONGOING', workers_count: 0, handled: true }],
    [
      { ...running, workers: ['w'] },
      { status: 'ONGOING', workers_count: 1, handled: false },
    ],
    [{}, { status: 'COMPLETE', workers_count: 0, handled: true }],
    [{ status: 'FAILED' }, { status: 'INTERRUPTED', workers_count: 0, handled: true }],
    [
      { workers: ['v', 'w'], live: true },
      { status: 'ONGOING', workers_count: 2, handled: false, completionTimestamp: at(9) },
    ],
  ] as const)('for %o', async (workflow, details) => {
    const get = await setUp({ workflow, testCases: someTestCases });
    const { items, ...rest } = (await get('testcases')).body.details;
    expect(rest).toEqual(details);
    expect(items).toHaveLength(3);
  });

  test.each(['testcases', 'jobs', 'tags'])(
    'of a workflow that ended without %s is complete, empty and without a message',
    async (kind) => {
      const get = await setUp();
      expect((await get(kind)).body).toMatchObject({
        code: 200,
        message: '',
        details: { items: [], status: 'COMPLETE', workers_count: 0 },
      });
    },
  );
});

describe('refusals', () => {
  test.each([
    ['testcases', 'test.outcome == ', /^\[SCOPE ERROR\] Invalid conditional test\.outcome == : /],
    [
      'jobs',
      'job.status',
      /^\[SCOPE ERROR\] Nonexisting context entry in expression job\.status: /,
    ],
    [
      'tags',
      'test.a',
      /^\[SCOPE ERROR\] Nonexisting context entry in expression test\.a: test\.a\.$/,
    ],
    ['tags', 'test.a.b', /^\[SCOPE ERROR\] Nonexisting context entry in expression test\.a\.b: /],
    [
      'testcases',
      'always()',
      /^\[SCOPE ERROR\] Invalid conditional always\(\): unknown function always\(\)\.$/,
    ],
  ])('of %s in scope of %s name the mistake', async (kind, scope, message) => {
    const get = await setUp({ testCases: someTestCases });
    const { body } = await get(kind, { scope });
    expect(body).toMatchObject({ code: 422, reason: 'Invalid', status: 'Failure' });
    expect(body.message).toMatch(message);
    expect(body.details).toEqual({ scope_error: body.message });
  });

  test('for a wrong scope precede the first test case', async () => {
    const get = await setUp({ workflow: running });
    expect((await get('testcases', { scope: '((' })).body.code).toBe(422);
  });

  test('for an unknown kind name the known ones', async () => {
    const get = await setUp();
    expect((await get('results')).body).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'Unknown data source kind "results". Allowed kinds: jobs, tags, testcases.',
      details: null,
    });
  });

  test.each([{ page: '0' }, { per_page: 'x' }, { fieldSelector: '((' }])(
    'of the query %o',
    async (query) => {
      const get = await setUp();
      expect((await get('testcases', query)).body).toMatchObject({ code: 422, reason: 'Invalid' });
    },
  );

  test('of an unknown workflow', async () => {
    const get = await setUp();
    const unknown = workflowId.replace('a', 'c');
    expect((await get(`/workflows/${unknown}/datasources/jobs`)).body).toMatchObject({
      code: 404,
      message: `Workflow ${unknown} not found.`,
      details: null,
    });
  });

  test('for a workflow in a namespace outside of the token', async () => {
    const get = await setUp({ namespaces: new Set(['other']) });
    expect((await get('jobs')).body).toMatchObject({ code: 403, reason: 'Forbidden' });
  });
});
