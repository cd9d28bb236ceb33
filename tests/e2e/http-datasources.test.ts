/** Test cases, jobs and tags of runs (specification 2.6 to 2.8, 3.2 and 4.5). */
import { describe, expect, test } from 'vitest';
import {
  type Answer,
  bodyOf,
  detailsOf,
  followPages,
  itemsOf,
  type Loose,
} from '../support/api.ts';
import { expectStatus } from '../support/expect-status.ts';
import { createGate } from '../support/gate.ts';
import { providePlugin } from '../support/provider-plugin.ts';
import {
  allEvents,
  ended,
  logged,
  oneJob,
  only,
  sh,
  start,
  workersEnded,
} from '../support/runs.ts';
import { reportStep, useSample } from '../support/sample-run.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/;

const sample = useSample();
const { get } = sample;

const dataOf = async (id: string, kind: string, query?: string) => {
  const answer = await get(`/workflows/${id}/datasources/${kind}`, query);
  expectStatus(answer);
  return answer;
};

const namesIn = (answer: Answer): readonly unknown[] =>
  itemsOf(answer).map((item) => (item as { metadata: Loose }).metadata.name);

describe('3.2, 4.5: data sources', () => {
  // HTTP 4.5: Data sources: jobs and tags are 202 as long as there is nothing, test cases an empty list.
  test.each(['jobs', 'tags'])('%s of a run that waits are Accepted', async (kind) => {
    const answer = await dataOf(sample.waiting, kind);
    expect(bodyOf(answer)).toMatchObject({ code: 202, reason: 'Accepted', details: {} });
    expect(detailsOf(answer)).toEqual({});
  });

  // HTTP 4.5: Data sources: jobs and tags are 202 as long as there is nothing, test cases an empty list.
  test('test cases of a run that waits are an empty list', async () => {
    const answer = await dataOf(sample.waiting, 'testcases');
    expect(bodyOf(answer)).toMatchObject({ code: 200, reason: 'OK', message: '' });
    expect(detailsOf(answer)).toMatchObject({ items: [], status: 'ONGOING', workers_count: 0 });
  });

  // HTTP 4.5: Data sources: an unknown kind is Invalid and names the three.
  // HTTP 7: Messages for data sources and scopes.
  test('an unknown kind is told with those that there are', async () => {
    const answer = await dataOf(sample.done, 'colours');
    expect(bodyOf(answer)).toMatchObject({ code: 422, reason: 'Invalid', details: null });
    expect(bodyOf(answer).message).toMatch(/jobs, tags, testcases/);
  });

  // HTTP 3.1: Data sources are ONGOING, COMPLETE or INTERRUPTED.
  // HTTP 4.5: Data sources: items, status, number of workers, whether all is handled.
  test('are COMPLETE after the end of a run that succeeded', async () => {
    for (const kind of ['jobs', 'tags', 'testcases']) {
      const { items, ...others } = detailsOf(await dataOf(sample.done, kind));
      expect(items).not.toEqual([]);
      expect(others).toEqual({ status: 'COMPLETE', workers_count: 0, handled: true });
    }
  });

  // HTTP 2.6: A test case has its names, ids, namespace, time and number of executions.
  // HTTP 2.6: `execution` has times and milliseconds.
  test('test cases have all that the specification names', async () => {
    const answer = await dataOf(sample.done, 'testcases', 'fieldSelector=status==FAILURE');
    const second = sample.events.find(
      ({ kind, metadata }) => kind === 'ExecutionCommand' && metadata.name === 'second',
    );
    expect(itemsOf(answer)).toEqual([
      {
        apiVersion: 'testing.opentestfactory.org/v1alpha1',
        kind: 'TestCase',
        metadata: {
          name: 'suite#bad',
          id: expect.stringMatching(UUID),
          job_id: second?.metadata.job_id,
          execution_id: expect.stringMatching(UUID),
          workflow_id: sample.done,
          namespace: 'default',
          creationTimestamp: expect.stringMatching(TIMESTAMP),
          executions: 1,
        },
        test: {
          'runs-on': ['linux', 'shell'],
          uses: '',
          technology: 'junit',
          job: 'second',
          test: '',
          suiteName: 'suite',
          testCaseName: 'bad',
          outcome: 'failure',
          managed: false,
          // Beyond the specification.
          history: { state: 'new', flakeRate: 0, failures: 0, executions: 0 },
          newlyFailed: true,
          retried: false,
          flaked: false,
          quarantined: false,
        },
        status: 'FAILURE',
        execution: {
          startTime: expect.stringMatching(TIMESTAMP),
          endTime: expect.stringMatching(TIMESTAMP),
          duration: 1000,
          outcome: 'failure',
          failureDetails: { message: 'broke', type: 'E', text: 'there' },
        },
      },
    ]);
  });

  // HTTP 2.7: A job has names, ids, namespace, time, tags and variables.
  // HTTP 2.7: Its status has phase, times, duration and counts.
  // HTTP 2.7: `uuid` is the name of the job.
  // HTTP 2.8: A tag counts its jobs and their test cases.
  // HTTP 9: Manifests and events have theirs.
  test('jobs and tags have all that the specification names', async () => {
    const counts = { success: 1, failure: 1, error: 0, skipped: 1, cancelled: 0 };
    const jobs = itemsOf(await dataOf(sample.done, 'jobs'));
    expect(jobs[1]).toEqual({
      apiVersion: 'opentestfactory.org/v1alpha1',
      kind: 'Job',
      metadata: {
        name: 'second',
        id: expect.stringMatching(UUID),
        namespace: 'default',
        workflow_id: sample.done,
        creationTimestamp: expect.stringMatching(TIMESTAMP),
      },
      spec: {
        'runs-on': ['linux', 'shell'],
        variables: { GREETING: 'hello', OWN: 'variable' },
      },
      status: {
        phase: 'SUCCEEDED',
        requestTime: expect.stringMatching(TIMESTAMP),
        startTime: expect.stringMatching(TIMESTAMP),
        endTime: expect.stringMatching(TIMESTAMP),
        duration: expect.any(Number),
        testCaseCount: 3,
        testCaseStatusSummary: counts,
      },
      uuid: 'second',
    });
    const tags = itemsOf(await dataOf(sample.done, 'tags'));
    expect(tags).toEqual(
      [
        ['linux', 2],
        ['shell', 1],
      ].map(([name, jobCount]) => ({
        apiVersion: 'opentestfactory.org/v1alpha1',
        kind: 'Tag',
        metadata: { name, workflow_id: sample.done, namespace: 'default' },
        status: { jobCount, testCaseCount: 3, testCaseStatusSummary: counts },
      })),
    );
  });

  test.each<[string, readonly string[]]>([
    ["test.outcome == 'failure'", ['suite#bad']],
    ["test.technology == 'junit' && test.outcome != 'skipped'", ['suite#bad', 'suite#good']],
    ["contains(test['runs-on'], 'shell')", ['suite#bad', 'suite#good', 'suite#left out']],
    ["test.testCaseName ~= '^g'", ['suite#good']],
    ["test.uses == '' && test.test == ''", ['suite#bad', 'suite#good', 'suite#left out']],
    ["test.uses == 'junit/execute@v1'", []],
    ['true', ['suite#bad', 'suite#good', 'suite#left out']],
    // HTTP 2.6: The four outcomes and their statuses.
    // HTTP 4.5: Data sources: a scope chooses test cases.
  ])('the scope %s chooses test cases', async (scope, names) => {
    const query = `scope=${encodeURIComponent(scope)}`;
    const answer = await dataOf(sample.done, 'testcases', query);
    expect(namesIn(answer).toSorted()).toEqual(names);
    for (const kind of ['jobs', 'tags']) {
      const [item] = itemsOf(await dataOf(sample.done, kind, `${query}&page=2&per_page=1`));
      expect(item).toMatchObject({ status: { testCaseCount: names.length } });
    }
  });

  // HTTP 4.5: Data sources: a scope leaves jobs and tags, and changes their counts.
  test('a scope without test cases leaves jobs and tags with counts of zero', async () => {
    const query = `scope=${encodeURIComponent("test.technology == 'other'")}`;
    expect(itemsOf(await dataOf(sample.done, 'testcases', query))).toEqual([]);
    for (const kind of ['jobs', 'tags']) {
      const items = itemsOf(await dataOf(sample.done, kind, query));
      expect(items).toHaveLength(2);
      for (const item of items) expect(item).toMatchObject({ status: { testCaseCount: 0 } });
    }
  });

  test.each([
    'test.outcome ==',
    'job.name',
    "nothing('x')",
    "test.outcome ~= '('",
    'test.nothing.x',
    "test.nothing == 'x'",
    // HTTP 4.5: Data sources: a wrong scope is Invalid, with the text also in the details.
    // HTTP 7: Messages for data sources and scopes.
  ])('the scope %s is an error', async (scope) => {
    const query = `scope=${encodeURIComponent(scope)}`;
    for (const kind of ['testcases', 'jobs', 'tags']) {
      // Also where there is no test case to try it on.
      for (const id of [sample.done, sample.waiting]) {
        const answer = await dataOf(id, kind, query);
        // A pattern is looked at when it is used.
        if (id === sample.waiting && scope.includes('~=')) continue;
        expect(bodyOf(answer)).toMatchObject({
          code: 422,
          reason: 'Invalid',
          message: expect.stringMatching(/^\[SCOPE ERROR\] /),
          details: { scope_error: expect.any(String) },
        });
      }
    }
  });

  // HTTP 4.1: `Link` has `next` as long as more pages exist.
  // HTTP 4.5: Data sources: pages.
  test('pages lead to each item once, each with the status', async () => {
    const pages = await followPages(
      sample.server,
      await dataOf(sample.done, 'testcases', 'per_page=1'),
    );
    expect(pages).toHaveLength(3);
    expect(pages.flatMap(namesIn)).toEqual(namesIn(await dataOf(sample.done, 'testcases')));
    for (const page of pages) expect(detailsOf(page)).toMatchObject({ status: 'COMPLETE' });
  });

  // HTTP 3.1: Data sources are ONGOING, COMPLETE or INTERRUPTED.
  // HTTP 3.2: Value 4: the status of a data source follows from workflow and workers.
  // HTTP 4.5: Data sources: jobs and tags begin with the end of the first job.
  test('fill while the run goes on', async () => {
    const { step, open } = createGate(sample.bench);
    const report = reportStep([{ name: 'good', seconds: 0 }]);
    const id = await start(sample.server, {
      metadata: { name: 'filling' },
      jobs: {
        one: { 'runs-on': 'linux', steps: [report] },
        two: { 'runs-on': 'linux', needs: 'one', steps: [step] },
      },
    });
    await logged(sample.server, id, '] held\n');
    for (const kind of ['jobs', 'tags', 'testcases']) {
      const answer = await dataOf(id, kind);
      expect(bodyOf(answer)).toMatchObject({ code: 200, details: { status: 'ONGOING' } });
      expect(itemsOf(answer)).toHaveLength(1);
    }
    await open();
    expect(await ended(sample.server, id)).toBe('DONE');
    const answer = await dataOf(id, 'jobs');
    expect(detailsOf(answer)).toMatchObject({ status: 'COMPLETE' });
    expect(namesIn(answer)).toEqual(['one', 'two']);
  });

  // HTTP 2.6: `managed` is true, with more labels, for cases of a referential.
  test('test cases that a referential manages have its labels', async () => {
    const labels = { reference: 'REF-1', importance: 'HIGH', uuid: 'a-uuid', path: ['shop'] };
    const managedTests = { testPlan: { name: 'plan' }, testCases: { report: labels } };
    const workflow = oneJob('managed', [
      reportStep([{ name: 'good', seconds: 1 }], { id: 'report' }),
      reportStep([{ name: 'other', seconds: 1 }], { id: 'more' }),
    ]);
    const id = await start(sample.server, {
      ...workflow,
      metadata: { name: 'managed', managedTests },
    });
    expect(await ended(sample.server, id)).toBe('DONE');
    await workersEnded(sample.server, id);
    const answer = await dataOf(id, 'testcases', 'fieldSelector=test.managed==true');
    expect(itemsOf(answer)).toHaveLength(1);
    expect(itemsOf(answer)[0]).toMatchObject({ test: { ...labels, testCaseName: 'good' } });
  });

  // HTTP 2.6: `execution` has times and milliseconds.
  // HTTP 2.7: Its status has phase, times, duration and counts.
  test('a job, and the tests of a function, start with the first command, not with the wait for the function', async () => {
    await providePlugin(sample.server, 'late', () => [reportStep([{ name: 'one', seconds: 1 }])]);
    const id = await start(sample.server, oneJob('late', [{ uses: 'late/tests@v1' }]));
    expect(await ended(sample.server, id)).toBe('DONE');
    await workersEnded(sample.server, id);
    const events = await allEvents(sample.server, id);
    const begun = only(events, 'ExecutionCommand').find(
      ({ metadata }) => metadata.step_sequence_id === 0,
    )?.metadata.creationTimestamp;
    const [called] = only(events, 'ProviderCommand');
    const [testCase] = itemsOf(await dataOf(id, 'testcases'));
    expect(testCase).toMatchObject({
      metadata: { creationTimestamp: called?.metadata.creationTimestamp },
      execution: { startTime: begun },
    });
    const [job] = itemsOf(await dataOf(id, 'jobs'));
    const { startTime, endTime, duration } = Object(job).status;
    expect(startTime).toBe(begun);
    expect(duration).toBeCloseTo(Date.parse(`${endTime}Z`) - Date.parse(`${startTime}Z`), -1);
  });

  // HTTP 2.7: Its status has phase, times, duration and counts.
  test('a job that was cancelled while it waited starts when it ends, and lasts no time', async () => {
    const id = await start(sample.server, oneJob('never', [sh('true')], { 'runs-on': 'nowhere' }));
    await sample.server.call('DELETE', `/workflows/${id}`);
    expect(await ended(sample.server, id)).toBe('FAILED');
    const [job] = itemsOf(await dataOf(id, 'jobs'));
    const { startTime, endTime, ...others } = Object(job).status;
    expect(startTime).toMatch(TIMESTAMP);
    expect(startTime).toBe(endTime);
    expect(others).toMatchObject({ phase: 'CANCELLED', duration: 0, testCaseCount: 0 });
  });

  test.each<[string, Loose]>([
    ['failed', { 'runs-on': 'linux' }],
    ['was cancelled', { 'runs-on': 'nowhere' }],
    // HTTP 3.1: Data sources are ONGOING, COMPLETE or INTERRUPTED.
    // HTTP 3.2: Value 4: the status of a data source follows from workflow and workers.
  ])('are INTERRUPTED after a run that %s', async (_name, job) => {
    const id = await start(sample.server, oneJob('interrupted', [sh('exit 1')], job));
    if (job['runs-on'] === 'nowhere') await sample.server.call('DELETE', `/workflows/${id}`);
    expect(await ended(sample.server, id)).toBe('FAILED');
    for (const kind of ['jobs', 'tags', 'testcases']) {
      const answer = await dataOf(id, kind);
      expect(bodyOf(answer)).toMatchObject({
        code: 200,
        details: { items: expect.any(Array), status: 'INTERRUPTED', workers_count: 0 },
      });
    }
  });
});
