/** Requirements of clients on quality gates, data, reports and listings. The numbers are those of the checklist of clients. */
import { expect, type TestContext, test } from 'vitest';
import {
  type Answer,
  bodyOf,
  detailsOf,
  itemsOf,
  type Loose,
  nextLinkOf,
} from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { registerExisting } from '../../support/existing-agent.ts';
import { expectStatus } from '../../support/expect-status.ts';
import { allEvents, oneJob, only, sh, start, workersEnded } from '../../support/runs.ts';
import { useSample } from '../../support/sample-run.ts';
import { cellsOf } from './ctl.ts';
import { answerOf, inItsManner, recordedClient } from './recorded-client.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const sample = useSample();
const get = (path: string, query?: string) =>
  inItsManner(sample.server)('GET', path, query === undefined ? {} : { query });
const client = (context: TestContext) => recordedClient(sample, context);
const RULE = {
  result: 'FAILURE',
  ...{ tests_in_scope: 3, tests_failed: 1, tests_passed: 2 },
  ...{ success_ratio: '66.66%', threshold: '100%', scope: 'true' },
};

test.concurrent('8.52: a quality gate has a code and a status, also while a run goes on', async (context) => {
  const { ask } = await client(context);
  const failed = await ask('get', 'qualitygate', sample.done);
  expect(failed.exchanges[0]?.url).toMatch(/mode=strict&timeout=8$/);
  expect(answerOf(failed.exchanges[0])).toMatchObject({
    code: 200,
    details: { status: 'FAILURE' },
  });
  const running = await get(`/workflows/${sample.waiting}/qualitygate`, 'mode=strict&timeout=0');
  expect(bodyOf(running)).toMatchObject({ code: 200, details: { status: 'RUNNING' } });
});

test.concurrent('8.53: rules of a quality gate have their numbers', async (context) => {
  const { ask } = await client(context);
  const { exchanges } = await ask('describe', 'qualitygate', sample.done);
  expect(answerOf(exchanges[0]).details.rules).toEqual({ strict: expect.objectContaining(RULE) });
});

test.concurrent('8.54: what is wrong with a quality gate is told by its code', async (context) => {
  const unknown = await get(`/workflows/${UNKNOWN}/qualitygate`, 'mode=strict');
  expect([unknown.code, bodyOf(unknown).code]).toEqual([404, 404]);
  const { ask } = await client(context);
  const { code, stderr, exchanges } = await ask('get', 'qualitygate', sample.done, '-m', 'other');
  const { message, code: actual } = answerOf(exchanges[0]);
  expect([code, actual, exchanges[0]?.code]).toEqual([2, 422, 422]);
  expect(stderr).toContain(message);
});

test.concurrent('8.55: a file of quality gates gives the same shapes', async (context) => {
  const { ctl, ask } = await client(context);
  const rules = [{ name: 'all', rule: { scope: 'true', threshold: '100%' } }];
  await ctl.write('gates.yaml', { qualitygates: [{ name: 'mine', rules }] });
  const words = ['--using', 'gates.yaml', '--mode', 'mine'];
  const { code, exchanges } = await ask('get', 'qualitygate', sample.done, ...words);
  expect(exchanges[0]?.body).toContain('name="qualitygates"');
  expect(answerOf(exchanges[0]).details).toMatchObject({ status: 'FAILURE', rules: { all: RULE } });
  expect(code).toBe(102);
});

test.concurrent('8.56: the server waits no longer than it is told to', async (context) => {
  const { ask } = await client(context);
  const { code, exchanges } = await ask('get', 'qualitygate', sample.waiting, '--timeout', '1');
  expect(code).toBe(101);
  for (const exchange of exchanges) expect(answerOf(exchange).details.status).toBe('RUNNING');
});

// HTTP 4.5: Data sources: jobs and tags are 202 as long as there is nothing, test cases an empty list.
test.concurrent('8.57: data that are not there yet are 202 with an empty object', async (context) => {
  const { ask } = await client(context);
  const words = ['--kind', 'jobs', '--timeout', '1'];
  const { code, exchanges } = await ask('get', 'datasource', sample.waiting, ...words);
  expect([code, exchanges[0]?.code]).toEqual([101, 202]);
  expect(answerOf(exchanges[0])).toMatchObject({ code: 202, status: 'Success' });
  expect(answerOf(exchanges[0]).details).toEqual({});
});

test.concurrent('8.57: test cases of a workflow without any are an empty list', async (context) => {
  const { ask } = await client(context);
  const { code, stdout, exchanges } = await ask(
    ...['get', 'datasource', sample.waiting, '--kind', 'testcases'],
  );
  expect([code, exchanges[0]?.code]).toEqual([0, 200]);
  expect(answerOf(exchanges[0]).details).toMatchObject({ items: [], status: 'ONGOING' });
  expect(stdout).toContain('NAME');
});

test.concurrent('8.58: data have items, a status and a number of workers', async () => {
  const path = `/workflows/${sample.done}/datasources/testcases`;
  for (const query of ['per_page=2', 'per_page=2&page=2']) {
    const details = detailsOf(await get(path, query));
    expect(details).toMatchObject({ status: 'COMPLETE', workers_count: 0 });
  }
  const id = await start(sample.server, oneJob('none', [sh('true')], { 'runs-on': 'nowhere' }));
  await sample.server.call('DELETE', `/workflows/${id}`);
  const none = bodyOf(await get(`/workflows/${id}/datasources/testcases`));
  const details = { items: [], status: 'INTERRUPTED', workers_count: 0 };
  expect(none).toMatchObject({ code: 200, message: '', details });
});

test.concurrent('8.59: pages of data are found by the query of their links alone', async () => {
  const path = `/workflows/${sample.done}/datasources/testcases`;
  const first = await get(path, 'per_page=2');
  const second = await get(path, new URL(nextLinkOf(first) ?? '').search.slice(1));
  expect([itemsOf(first).length, itemsOf(second).length, nextLinkOf(second)]).toEqual([2, 1, null]);
});

// HTTP 4.5: Data sources: jobs and tags are 202 as long as there is nothing, test cases an empty list.
test.concurrent('8.60: unknown data are 422, of an unknown workflow 404', async () => {
  for (const [id, kind, code] of [
    [sample.done, 'colours', 422],
    [UNKNOWN, 'jobs', 404],
  ] as const) {
    const answer = await get(`/workflows/${id}/datasources/${kind}`);
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({ code, message: expect.stringMatching(/./) });
  }
});

test.concurrent('8.61: the columns of data are filled, and data are selected', async (context) => {
  const { ask } = await client(context);
  for (const kind of ['testcases', 'jobs', 'tags']) {
    const words = ['--kind', kind, '-o', 'wide'];
    const { code, stdout } = await ask('get', 'datasource', sample.done, ...words);
    expect([code, stdout.includes('<none>')], kind).toEqual([0, false]);
  }
  const selected = ['--kind', 'testcases', '--field-selector', 'test.outcome==failure'];
  const { exchanges } = await ask('get', 'datasource', sample.done, ...selected);
  expect(answerOf(exchanges[0]).details.items).toHaveLength(1);
});

async function askForLog(name: string, more: Loose = {}) {
  const body = new FormData();
  const insights = { insights: [{ name, kind: 'ExecutionLog', ...more }] };
  body.set('insights', new Blob([JSON.stringify(insights)]), 'insights.yaml');
  const path = `/workflows/${sample.done}/insights`;
  return inItsManner(sample.server)('POST', path, { body, query: 'insight=*' });
}

test.concurrent('8.62: who asks for reports is told which to expect, and an id', async () => {
  const answer = await askForLog('one');
  expect(answer.code).toBe(200);
  expect(detailsOf(answer)).toMatchObject({
    expected: [expect.anything()],
    request_id: expect.any(String),
  });
});

/** The events about reports that somebody asked for, once nobody works on them any more. */
async function publishedFor(answer: Answer) {
  const published = async () =>
    only(await allEvents(sample.server, sample.done), 'WorkflowResult').filter(
      ({ metadata }) => metadata.request_id === detailsOf(answer).request_id,
    );
  await eventually('a report', async () => (await published()).length > 0);
  await workersEnded(sample.server, sample.done);
  return published();
}

test.concurrent('8.63: as many events as are expected come with the id, or one that says there are none', async (context) => {
  const answer = await askForLog('two');
  const { expected } = detailsOf(answer);
  const published = await publishedFor(answer);
  expect(published).toHaveLength(Array.isArray(expected) ? expected.length : Number.NaN);
  const nothing = await publishedFor(await askForLog('never', { if: 'failure()' }));
  expect(nothing).toMatchObject([
    { metadata: { name: 'No insights published', attachments: {} }, attachments: [] },
  ]);
  // The client waits for either.
  const { ctl, ask } = await client(context);
  const insights = [{ name: 'never', kind: 'ExecutionLog', if: 'failure()' }];
  await ctl.write('insights.yaml', { insights });
  const words = ['generate', 'report', sample.done, 'using', 'insights.yaml'];
  const { code, stdout, exchanges } = await ask(...words);
  expect([code, stdout]).toEqual([0, expect.not.stringContaining('is downloaded at')]);
  expect(exchanges.at(-1)?.answer).toContain('No insights published');
});

const SUBSCRIPTION = {
  apiVersion: 'opentestfactory.org/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'a-plugin', creationTimestamp: '2026-01-02T03:04:05' },
  spec: {
    selector: { matchKind: 'Nothing', matchFields: { apiVersion: 'x/v1' } },
    subscriber: { endpoint: 'http://127.0.0.1:9/inbox', 'insecure-skip-tls-verify': true },
  },
};

// HTTP 2.1: Listings of agents and subscriptions, files and logs are documents of their own.
// HTTP 2.4: A list is a SubscriptionList whose items are keyed by id.
// HTTP 3.2: A subscription is made and cancelled.
test.concurrent('8.64: subscriptions have what clients print', async (context) => {
  const { exchanges } = await (await client(context)).ask('get', 'subscriptions');
  const items: object = answerOf(exchanges[0]).items;
  for (const [id, item] of Object.entries(items)) {
    expect(item).toMatchObject({
      metadata: {
        ...{ subscription_id: id, name: expect.any(String) },
        ...{ creationTimestamp: expect.any(String), annotations: expect.any(Object) },
      },
      spec: { subscriber: { endpoint: expect.any(String) } },
      status: { publicationCount: expect.any(Number) },
    });
  }
});

/** Every value of the document, whatever its depth. */
function* valuesIn(value: unknown, key = ''): Generator<readonly [string, unknown]> {
  yield [key, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, child] of Object.entries(value)) yield* valuesIn(child, name);
}

test.concurrent('8.65: subscriptions have no lists but of objects, and names that are texts', async () => {
  for (const [key, value] of valuesIn(bodyOf(await get('/subscriptions')))) {
    if (key === 'name') expect(value).toEqual(expect.any(String));
    if (Array.isArray(value)) expect(value.every((item) => typeof item === 'object')).toBe(true);
  }
});

test.concurrent('8.66: built-in services are among the subscriptions', async () => {
  const { items } = bodyOf(await get('/subscriptions'));
  const names = [...valuesIn(items)].filter(([key]) => key === 'name').map(([, name]) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      ...['arranger', 'observer', 'agentchannel', 'localstore', 'insightcollector'],
      ...['qualitygate', 'providers', 'generators', 'interpreter-surefire'],
    ]),
  );
});

// HTTP 2.1: Listings of agents and subscriptions, files and logs are documents of their own.
// HTTP 2.4: A list is a SubscriptionList whose items are keyed by id.
// HTTP 3.2: A subscription is made and cancelled.
test.concurrent('8.67: a subscription is made, listed and cancelled', async (context) => {
  const made = await inItsManner(sample.server)('POST', '/subscriptions', { body: SUBSCRIPTION });
  expectStatus(made);
  const id = String(detailsOf(made).uuid);
  const message = `Subscription 'a-plugin' successfully registered (id=${id}).`;
  expect(bodyOf(made)).toMatchObject({ code: 201, message });
  const { ask } = await client(context);
  const selected = ['--field-selector', 'metadata.name==a-plugin', '-o', 'wide'];
  const listed = await ask('get', 'subscriptions', ...selected);
  expect(listed.stdout).toContain(id);
  expect(answerOf(listed.exchanges[0])).toMatchObject({
    ...{ apiVersion: 'v1', kind: 'SubscriptionList' },
    items: {
      [id]: {
        metadata: {
          annotations: {
            'opentestfactory.org/fieldselector': expect.stringContaining('apiVersion==x/v1'),
            'opentestfactory.org/labelselector': '',
          },
        },
        spec: SUBSCRIPTION.spec,
        status: {
          ...{ publicationCount: 0, lastPublicationTimestamp: null },
          publicationStatusSummary: {},
        },
      },
    },
  });
  const { code, lines, exchanges } = await ask('delete', 'subscription', id);
  const canceled = { code: 200, message: `Subscription ${id} canceled.`, details: null };
  expect(answerOf(exchanges.at(-1))).toMatchObject(canceled);
  expect([code, lines]).toEqual([0, [canceled.message]]);
});

// HTTP 2.3: A Channel has name, namespaces, handler, tags, last contact, phase and job.
test.concurrent('8.68: channels are selected by their tags and phases', async (context) => {
  const agent = await registerExisting(sample.server, ['macos', 'rare'], {
    metadata: { name: 'rare', namespaces: 'elsewhere' },
  });
  const words = ['--field-selector', '(rare) in spec.tags,status.phase!=BUSY', '-o', 'wide'];
  const { lines, exchanges } = await (await client(context)).ask('get', 'channels', ...words);
  expect(lines.slice(1).map((line) => cellsOf(line)[1])).toEqual(['rare']);
  const lastCommunicationTimestamp = expect.stringMatching(TIME);
  expect(answerOf(exchanges[0]).details.items).toMatchObject([
    {
      metadata: {
        ...{ name: 'rare', namespaces: 'elsewhere' },
        channelhandler_id: expect.stringMatching(UUID),
      },
      spec: { tags: ['macos', 'rare'] },
      status: { phase: 'IDLE', currentJobID: null, lastCommunicationTimestamp },
    },
  ]);
  const busy = 'fieldSelector=(rare)+in+spec.tags,status.phase==BUSY';
  expect(itemsOf(await get('/channels', busy))).toEqual([]);
  await sample.server.call('DELETE', `/agents/${agent.id}`);
});

// HTTP 5: Without restrictions all namespaces are accessible.
test.concurrent('8.69: without limits all namespaces are accessible', async () => {
  for (const query of ['', 'resource=workflows&verb=create', 'verb=list&resource=agents']) {
    expect(itemsOf(await get('/namespaces', query))).toEqual(['*']);
  }
});

// HTTP 9: GET /version: components with name, type and version.
test.concurrent('8.70: the version has a name, and lists of components', async (context) => {
  const { exchanges } = await (await client(context)).ask('version');
  const { name, ...lists } = answerOf(exchanges[0]).details.items;
  expect([name, Object.keys(lists).length > 0]).toEqual([expect.any(String), true]);
  for (const component of Object.values(lists).flat()) {
    const version = expect.stringMatching(/^\d/);
    expect(component).toMatchObject({ name: expect.any(String), version });
  }
});
