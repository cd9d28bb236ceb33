/** The observer's view of an ended run and of a waiting one (specification 3.2 and 4.5). */
import type { RunEvent } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import {
  bodyOf,
  detailsOf,
  eventsOf,
  followPages,
  itemsOf,
  type Loose,
  nextLinkOf,
} from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { expectStatus } from '../support/expect-status.ts';
import { createGate } from '../support/gate.ts';
import { exchangeRaw } from '../support/raw-exchange.ts';
import { ended, logged, oneJob, sh, start } from '../support/runs.ts';
import { SAMPLE, useSample } from '../support/sample-run.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/;

const sample = useSample();
const { get, getDone } = sample;

describe('4.5: what is unknown or wrong', () => {
  test.each(['status', 'workers', 'logs', 'datasources/jobs'])(
    // HTTP 4.1: Answers are Status manifests where nothing else is said.
    // HTTP 4.5: GET of the status: 404 with its message, 422 for wrong parameters.
    // HTTP 4.5: Data sources: 422 for wrong parameters, 404 for an unknown workflow.
    'GET of %s of an unknown workflow is 404',
    async (part) => {
      const answer = await get(`/workflows/${UNKNOWN}/${part}`);
      expectStatus(answer);
      expect(bodyOf(answer)).toMatchObject({
        code: 404,
        reason: 'NotFound',
        message: `Workflow ${UNKNOWN} not found.`,
        details: null,
      });
    },
  );

  test.each([
    ['status', 'per_page=0'],
    ['status', 'per_page=ten'],
    ['status', 'page=0'],
    ['status', 'page=-1'],
    ['status', 'page=1.5'],
    ['status', 'page=1&page=2'],
    ['status', 'fieldSelector=kind=='],
    ['status', 'labelSelector=a%5Bb%5D'],
    ['datasources/testcases', 'per_page=0'],
    ['datasources/jobs', 'page='],
    ['datasources/jobs', 'fieldSelector=(a'],
    // HTTP 4.1: Pages begin with 1.
    // HTTP 4.5: GET of the status: 404 with its message, 422 for wrong parameters.
    // HTTP 4.5: Data sources: 422 for wrong parameters, 404 for an unknown workflow.
  ])('GET of %s with ?%s is Invalid', async (part, query) => {
    const answer = await getDone(part, query);
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({ code: 422, reason: 'Invalid', details: null });
  });
});

describe('4.1, 4.5: status', () => {
  // HTTP 4.5: GET of the status: events, status and a summary.
  test('has all events, the message and the status of the workflow', async () => {
    const answer = await getDone('status');
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({ code: 200, reason: 'OK' });
    expect(detailsOf(answer)).toEqual({ items: sample.events, status: 'DONE' });
    expect(nextLinkOf(answer)).toBeNull();
  });

  test.each([
    ['per_page=1', ''],
    ['per_page=3', ''],
    ['per_page=2', '&fieldSelector=kind==ExecutionCommand'],
    ['per_page=1', '&fieldSelector=kind+in+(Workflow,+ExecutionResult)&labelSelector=!none'],
    // HTTP 3.2: Value 3: the status is that of the whole workflow on every page.
  ])('pages of ?%s%s lead to each event once, in order', async (size, selectors) => {
    const all = eventsOf(await getDone('status', `per_page=1000${selectors}`));
    const pages = await followPages(sample.server, await getDone('status', `${size}${selectors}`));
    expect(pages.flatMap(eventsOf)).toEqual(all);
    for (const page of pages) expect(detailsOf(page).status).toBe('DONE');
  });

  // HTTP 4.1: `Link` has `next` as long as more pages exist.
  test('a page that is exactly full has no next one, and a page behind the end is empty', async () => {
    const count = sample.events.length;
    const full = await getDone('status', `per_page=${count}`);
    expect(itemsOf(full)).toHaveLength(count);
    expect(nextLinkOf(full)).toBeNull();
    const behind = await getDone('status', `per_page=${count}&page=2`);
    expect(detailsOf(behind)).toEqual({ items: [], status: 'DONE' });
    expect(nextLinkOf(behind)).toBeNull();
  });

  // HTTP 4.1: Links repeat `per_page` within its limits, and the selectors.
  test('the next link is absolute, keeps what was asked, and goes through a proxy', async () => {
    const query =
      'fieldSelector=kind==ExecutionCommand&per_page=2&fieldSelector=kind==ExecutionCommand';
    const path = `/workflows/${sample.done}/status`;
    const next = new URL(nextLinkOf(await getDone('status', query)) ?? '');
    expect(`${next.origin}${next.pathname}`).toBe(`${sample.server.url}${path}`);
    expect(Object.fromEntries(next.searchParams)).toEqual({
      fieldSelector: 'kind==ExecutionCommand',
      page: '2',
      per_page: '2',
    });
    const behindProxy = await getDone('status', 'per_page=2', {
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'ci.example.com',
      'x-forwarded-prefix': '/observer',
    });
    expect(nextLinkOf(behindProxy)).toBe(
      `https://ci.example.com/observer${path}?per_page=2&page=2`,
    );
  });

  // HTTP 4.1: Links repeat `per_page` within its limits, and the selectors.
  test('the next link of HTTP/1.0, which names no host, leads to where the connection did', async () => {
    const { server } = sample;
    const path = `/workflows/${sample.done}/status?per_page=2`;
    const { head } = await exchangeRaw(
      server.url,
      `GET ${path} HTTP/1.0\r\nAuthorization: Bearer ${server.token}\r\n\r\n`,
      { withinMs: 10_000 },
    );
    expect(head).toContain(`<${server.url}${path}&page=2>; rel="next"`);
  });

  // HTTP 4.1: Pages begin with 1.
  // HTTP 8: Pages have 100 items, 1000 at most, and begin with 1; their numbers may have any length.
  // Bound: Items of a page.
  test('a page has 100 events at first, and 1000 at most', async () => {
    const steps = Array.from({ length: 60 }, () => sh('true'));
    const id = await start(sample.server, oneJob('long', steps));
    expect(await ended(sample.server, id)).toBe('DONE');
    const path = `/workflows/${id}/status`;
    expect(itemsOf(await get(path))).toHaveLength(100);
    const largest = await get(path, 'per_page=5000');
    expect(itemsOf(largest).length).toBeGreaterThan(120);
    expect(nextLinkOf(largest)).toBeNull();
    const second = await get(path, 'per_page=70&page=2');
    expect(itemsOf(second)).toEqual(itemsOf(largest).slice(70, 140));
    const whole = await get(path, 'per_page=110');
    expect(itemsOf(whole)).toEqual(itemsOf(largest).slice(0, 110));
  });

  test('HEAD of the status does not stay for events', async () => {
    const answer = await sample.server.call('HEAD', `/workflows/${sample.waiting}/status`, {
      headers: { accept: 'text/event-stream' },
    });
    expect([answer.code, answer.text]).toEqual([200, '']);
  });

  const isKind = (kind: string) => (event: RunEvent) => event.kind === kind;
  test.each<[string, (event: RunEvent) => boolean]>([
    ['fieldSelector=kind==Workflow', isKind('Workflow')],
    ['fieldSelector=kind%3DWorkflow', isKind('Workflow')],
    ['fieldSelector=kind!=ExecutionCommand', (event) => event.kind !== 'ExecutionCommand'],
    ['fieldSelector=status', (event) => 'status' in event],
    ['fieldSelector=!status', (event) => !('status' in event)],
    ['fieldSelector=kind+notin+(Workflow)', (event) => event.kind !== 'Workflow'],
    [
      'fieldSelector=(shell)+in+runs-on',
      (event) => event.kind === 'ExecutionCommand' && event['runs-on'].includes('shell'),
    ],
    ['fieldSelector=metadata.labels[example.com/team]==blue', isKind('Workflow')],
    ['labelSelector=example.com/team==blue', isKind('Workflow')],
    [
      'labelSelector=opentestfactory.org/category==create-file',
      (event) => event.kind.startsWith('Provider'),
    ],
    ['labelSelector=example.com/team&fieldSelector=kind==ExecutionResult', () => false],
    // HTTP 4.5: GET of the status: events by selectors.
    // HTTP 6: Events of the status can be chosen by kind and by label.
  ])('?%s chooses events', async (query, isWanted) => {
    const answer = await getDone('status', query);
    expect(eventsOf(answer)).toEqual(sample.events.filter(isWanted));
    expect(detailsOf(answer).status).toBe('DONE');
  });

  // HTTP 3.1: Workflows are PENDING, RUNNING, DONE or FAILED.
  // HTTP 3.2: It is RUNNING once a job has an environment, not while jobs wait or are skipped.
  test('a workflow that waits is PENDING, also beside a job that is skipped', async () => {
    expect(detailsOf(await get(`/workflows/${sample.waiting}/status`)).status).toBe('PENDING');
    const id = await start(sample.server, {
      metadata: { name: 'skips' },
      jobs: {
        skipped: { 'runs-on': 'linux', if: 'false', steps: [sh('true')] },
        waits: { 'runs-on': 'nowhere', steps: [sh('true')] },
      },
    });
    expect(await logged(sample.server, id, 'waits:')).toContain('Job "skipped" skipped');
    expect(detailsOf(await get(`/workflows/${id}/status`)).status).toBe('PENDING');
    await sample.server.call('DELETE', `/workflows/${id}`);
  });

  // HTTP 3.1: Workflows are PENDING, RUNNING, DONE or FAILED.
  // HTTP 3.2: It is RUNNING once a job has an environment, not while jobs wait or are skipped.
  test('a workflow is RUNNING from its first job on, also when only waiting jobs are left', async () => {
    const { step, open } = createGate(sample.bench);
    const id = await start(sample.server, {
      metadata: { name: 'runs' },
      jobs: {
        runs: { 'runs-on': 'linux', steps: [step] },
        waits: { 'runs-on': 'nowhere', steps: [sh('true')] },
      },
    });
    const status = async () => detailsOf(await get(`/workflows/${id}/status`)).status;
    await logged(sample.server, id, '] held\n');
    expect(await status()).toBe('RUNNING');
    await open();
    await eventually('the end of the first job', async () => {
      const answer = await get(`/workflows/${id}/datasources/jobs`);
      return Array.isArray(detailsOf(answer).items);
    });
    expect(await status()).toBe('RUNNING');
    await sample.server.call('DELETE', `/workflows/${id}`);
    expect(await ended(sample.server, id)).toBe('FAILED');
  });

  // HTTP 3.1: Workflows are PENDING, RUNNING, DONE or FAILED.
  test('the end and its event are there together', async () => {
    const id = await start(sample.server, oneJob('watched', [sh('true')]));
    await eventually('the end of the workflow', async () => {
      const answer = await get(`/workflows/${id}/status`);
      const isDone = detailsOf(answer).status === 'DONE';
      expect(eventsOf(answer).at(-1)?.kind === 'WorkflowCompleted').toBe(isDone);
      return isDone;
    });
  });
});

describe('4.5: listings', () => {
  // HTTP 4.5: GET of the workers: ids, status and a number in the message.
  test('workers of a workflow without any are IDLE', async () => {
    const answer = await getDone('workers');
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({
      code: 200,
      message: '0 active workers on workflow',
      details: { items: [], status: 'IDLE' },
    });
  });

  // HTTP 3.1: Workers, and the orchestrator, are BUSY or IDLE.
  // HTTP 3.2: Value 2: workers are BUSY as long as there is one.
  // HTTP 4.5: GET of the workers: ids, status and a number in the message.
  test('a plugin that works on a run is a worker, until it says that it is done', async () => {
    const { server, waiting } = sample;
    const work = (status: string) =>
      server.call('POST', '/publications', {
        body: {
          apiVersion: 'opentestfactory.org/v1alpha1',
          kind: 'Notification',
          metadata: { name: 'worker', workflow_id: waiting },
          spec: { worker: { worker_id: 'my-worker', status } },
        },
      });
    const workers = async () => {
      const answer = await get(`/workflows/${waiting}/workers`);
      return [bodyOf(answer).message, detailsOf(answer)];
    };
    await work('setup');
    expect(await workers()).toEqual([
      '1 active workers on workflow',
      { items: ['my-worker'], status: 'BUSY' },
    ]);
    await work('teardown');
    expect(await workers()).toEqual([
      '0 active workers on workflow',
      { items: [], status: 'IDLE' },
    ]);
  });

  // HTTP 2: Timestamps have microseconds and no zone.
  // HTTP 4.5: GET /workflows: ids of running and recent workflows.
  // HTTP 4.5: GET /workflows: manifests by id on request; another value is Invalid.
  test('workflows are ids, and manifests by id on request', async () => {
    const { done, waiting } = sample;
    const plain = await get('/workflows');
    expectStatus(plain);
    expect(bodyOf(plain)).toMatchObject({ code: 200, message: 'Running and recent workflows' });
    expect(itemsOf(plain)).toEqual(expect.arrayContaining([done, waiting]));
    const expanded = await get('/workflows', 'expand=manifest');
    expect(expanded.headers.get('x-processed-query')).toBe('expand');
    expect(detailsOf(expanded).items).toMatchObject({
      [done]: {
        kind: 'Workflow',
        metadata: {
          ...SAMPLE.metadata,
          workflow_id: done,
          namespace: 'default',
          creationTimestamp: expect.stringMatching(TIMESTAMP),
        },
        variables: SAMPLE.variables,
        jobs: { first: {}, second: {} },
        status: { phase: 'DONE' },
      },
      [waiting]: { metadata: { name: 'waiting' }, status: { phase: 'PENDING' } },
    });
    const wrong = await get('/workflows', 'expand=all');
    expect(bodyOf(wrong)).toMatchObject({ code: 422, reason: 'Invalid' });
  });

  test.each<[string, 'done' | 'waiting' | null]>([
    ['fieldSelector=status.phase+in+(RUNNING,+PENDING)', 'waiting'],
    ['fieldSelector=status.phase%20in%20(RUNNING,PENDING)', 'waiting'],
    ['fieldSelector=metadata.name==sample', 'done'],
    [
      'fieldSelector=metadata.namespace==default,metadata.name!=sample,status.phase==PENDING',
      'waiting',
    ],
    ['labelSelector=example.com/team', 'done'],
    ['labelSelector=example.com/team+in+(red,blue)&fieldSelector=status.phase==DONE', 'done'],
    ['labelSelector=example.com/team&fieldSelector=metadata.name==waiting', null],
    // HTTP 4.5: GET /workflows: selectors.
  ])('GET /workflows?%s answers ids', async (query, which) => {
    const expected = which === null ? [] : [sample[which]];
    expect(itemsOf(await get('/workflows', query))).toEqual(expected);
  });

  // HTTP 3.2: Value 1: the orchestrator is IDLE without running workflows and without workers.
  // HTTP 4.5: GET /workflows/status: ids of what runs, status and a summary; no workflow is called status.
  test('the orchestrator is BUSY while a workflow is not over', async () => {
    const answer = await get('/workflows/status');
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({ code: 200, message: '1 workflow in progress' });
    expect(detailsOf(answer)).toEqual({ items: [sample.waiting], status: 'BUSY' });
  });

  // HTTP 2.3: A Channel has name, namespaces, handler, tags, last contact, phase and job.
  // HTTP 2.3: The job of a channel is an id or null.
  // HTTP 4.5: GET /channelhandlers: ids.
  // HTTP 4.5: GET /channels: channels, with selectors.
  test('channels and their handlers', async () => {
    const handlers = await get('/channelhandlers');
    expectStatus(handlers);
    expect(bodyOf(handlers)).toMatchObject({ code: 200, message: 'Known channel handlers' });
    const [handler, ...others] = itemsOf(handlers);
    // The remaining handler is the one for rehearsals.
    expect(others).toEqual([expect.stringMatching(UUID)]);
    expect(handler).toMatch(UUID);
    const channels = await get('/channels', 'fieldSelector=(linux)+in+spec.tags');
    expectStatus(channels);
    expect(bodyOf(channels)).toMatchObject({ code: 200, message: 'Known channels' });
    expect(itemsOf(channels)).toEqual([
      {
        apiVersion: 'opentestfactory.org/v1alpha1',
        kind: 'Channel',
        metadata: expect.objectContaining({
          name: 'shell',
          namespaces: 'default',
          channelhandler_id: handler,
        }),
        spec: { tags: ['linux', 'shell'] },
        status: {
          lastCommunicationTimestamp: expect.stringMatching(TIMESTAMP),
          phase: 'IDLE',
          currentJobID: null,
        },
      },
    ]);
  });

  const HANDLER = '99999999-0000-4000-8000-000000000000';
  const announce = (metadata: Loose, channelHandler: unknown) =>
    sample.server.call('POST', '/publications', {
      body: {
        apiVersion: 'opentestfactory.org/v1alpha1',
        kind: 'Notification',
        metadata: { name: 'channels', ...metadata },
        spec: { channelHandler, logs: ['of no run'] },
      },
    });

  test.each([
    ['the id of no run', () => ({ workflow_id: UNKNOWN })],
    ['the empty id', () => ({ workflow_id: '00000000-0000-0000-0000-000000000000' })],
    ['an empty text', () => ({ workflow_id: '' })],
    ['no id', () => ({})],
    ['the id of a run', () => ({ workflow_id: sample.waiting })],
    ['a job of a run', () => ({ workflow_id: sample.waiting, job_id: UNKNOWN })],
  ])(
    // HTTP 4.5: GET /channelhandlers: ids.
    // HTTP 4.5: GET /channels: channels, with selectors.
    'a handler elsewhere that says %s is listed with its channels, and told to no run',
    async (name, metadata) => {
      const channel = {
        apiVersion: 'opentestfactory.org/v1alpha1',
        kind: 'Channel',
        metadata: { name, namespaces: '*' },
        spec: { tags: ['windows'] },
        status: { phase: 'IDLE', currentJobID: null },
      };
      const handler = { channelhandler_id: HANDLER, channels: [channel] };
      const answer = await announce(metadata(), handler);
      expect(bodyOf(answer)).toMatchObject({ code: 200, message: 'Publication received.' });
      expect(itemsOf(await get('/channelhandlers'))).toContain(HANDLER);
      const query = `fieldSelector=metadata.channelhandler_id==${HANDLER}`;
      const lastCommunicationTimestamp = expect.stringMatching(TIMESTAMP);
      expect(itemsOf(await get('/channels', query))).toEqual([
        {
          ...channel,
          metadata: { ...channel.metadata, channelhandler_id: HANDLER },
          status: { ...channel.status, lastCommunicationTimestamp },
        },
      ]);
      const events = eventsOf(await get(`/workflows/${sample.waiting}/status`));
      expect(
        events.filter(
          ({ kind, metadata: of }) => kind === 'Notification' && of.name === 'channels',
        ),
      ).toEqual([]);
    },
  );

  // HTTP 4.5: GET /channelhandlers: ids.
  test('nobody tells of channels of the handler of the server itself', async () => {
    const [ours] = itemsOf(await get('/channelhandlers'));
    for (const id of [String(ours), String(ours).toUpperCase()]) {
      const answer = await announce({}, { channelhandler_id: id, channels: [] });
      expectStatus(answer);
      expect(bodyOf(answer)).toMatchObject({
        code: 403,
        reason: 'Forbidden',
        message: `Channel handler ${id} is a part of this server, and only the server reports its channels.`,
      });
    }
  });

  test('a list of channels that cannot be read is answered, and changes nothing', async () => {
    const handler = '99999999-0000-4000-8000-000000000001';
    for (const actual of [
      null,
      {},
      { channelhandler_id: handler },
      { channelhandler_id: 'x', channels: [] },
    ]) {
      const answer = await announce({ workflow_id: sample.waiting }, actual);
      const message = 'Publication received, but no matching subscription.';
      expect(bodyOf(answer)).toMatchObject({ code: 200, message });
    }
    expect(itemsOf(await get('/channelhandlers'))).not.toContain(handler);
  });
});
