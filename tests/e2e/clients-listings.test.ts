/**
 * Listings as existing clients read them. The numbers are those of the checklist of what these clients require of a server: kill,
 * idleness, data sources, event bus, channels, version.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, detailsOf, itemsOf, type Loose } from '../support/api.ts';
import { expectStatus } from '../support/expect-status.ts';
import { oneJob, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  // Without agents: what starts here stays PENDING.
  server = await bench.server();
});

afterAll(() => bench.close());

const get = (path: string, query?: string) =>
  server.call('GET', path, query === undefined ? {} : { query });
const waiting = (name: string) => oneJob(name, [sh('true')]);

describe('kill, workers and data sources', () => {
  test('43, 45: DELETE after GET of the status, for pending and for finished workflows', async () => {
    const id = await start(server, waiting('killed'));
    const path = `/workflows/${id}`;
    const dryRun = () => server.call('DELETE', path, { query: 'dryRun=' });
    expect((await dryRun()).code).toBe(200);
    for (const status of ['PENDING', 'FAILED']) {
      expect(detailsOf(await get(`${path}/status`)).status).toBe(status);
      const answer = await server.call('DELETE', path, { query: 'reason=a+test' });
      expectStatus(answer);
      expect(answer.code).toBe(200);
    }
    expect((await dryRun()).code).toBe(404);
  });

  test('51: the orchestrator is IDLE when nothing runs, and BUSY otherwise', async () => {
    const other = await bench.server();
    const status = async () => detailsOf(await other.call('GET', '/workflows/status')).status;
    expect(await status()).toBe('IDLE');
    const id = await start(other, waiting('busy'));
    expect(await status()).toBe('BUSY');
    await other.call('DELETE', `/workflows/${id}`);
    expect(await status()).toBe('IDLE');
  });

  test('57, 60: what is not there yet is 202 with an empty object, what is wrong is told', async () => {
    const id = await start(server, waiting('without data'));
    const pending = await get(`/workflows/${id}/datasources/testcases`);
    expect(bodyOf(pending)).toMatchObject({ code: 202, status: 'Success' });
    expect(bodyOf(pending).details).toEqual({});
    for (const [path, code] of [
      [`/workflows/${id}/datasources/colours`, 422],
      [`/workflows/${UNKNOWN}/datasources/jobs`, 404],
    ] as const) {
      const answer = await get(path);
      expectStatus(answer);
      expect(bodyOf(answer)).toMatchObject({ code, message: expect.stringMatching(/./) });
    }
  });

  test('58: nothing at all, at the end, is an empty list with an empty message', async () => {
    const id = await start(server, waiting('nothing'));
    await server.call('DELETE', `/workflows/${id}`);
    const answer = await get(`/workflows/${id}/datasources/testcases`);
    expect(bodyOf(answer)).toMatchObject({ code: 200, message: '' });
    expect(detailsOf(answer)).toMatchObject({ items: [], status: 'INTERRUPTED', workers_count: 0 });
  });
});

/** Every value of the document, whatever its depth. */
function* valuesIn(value: unknown, key = ''): Generator<readonly [string, unknown]> {
  yield [key, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, child] of Object.entries(value)) yield* valuesIn(child, name);
}

describe('event bus, channels, version', () => {
  const subscription = {
    apiVersion: 'opentestfactory.org/v1alpha1',
    kind: 'Subscription',
    metadata: { name: 'a-plugin', creationTimestamp: '2026-01-02T03:04:05' },
    spec: {
      selector: { matchKind: 'Nothing', matchFields: { apiVersion: 'x/v1' } },
      subscriber: { endpoint: 'http://127.0.0.1:9/inbox', 'insecure-skip-tls-verify': true },
    },
  };

  test('64, 67: a subscription is made, listed and cancelled', async () => {
    const made = await server.call('POST', '/subscriptions', { body: subscription });
    expectStatus(made);
    const id = String(detailsOf(made).uuid);
    expect(bodyOf(made)).toMatchObject({
      code: 201,
      message: `Subscription 'a-plugin' successfully registered (id=${id}).`,
      details: { uuid: expect.stringMatching(UUID) },
    });
    const listing = bodyOf(await get('/subscriptions', 'fieldSelector=metadata.name==a-plugin'));
    expect(listing).toMatchObject({ apiVersion: 'v1', kind: 'SubscriptionList' });
    expect(listing.items).toMatchObject({
      [id]: {
        metadata: {
          name: 'a-plugin',
          subscription_id: id,
          creationTimestamp: expect.stringMatching(TIMESTAMP),
          annotations: {
            'opentestfactory.org/fieldselector': expect.stringContaining('apiVersion==x/v1'),
            'opentestfactory.org/labelselector': '',
          },
        },
        spec: subscription.spec,
        status: {
          publicationCount: 0,
          lastPublicationTimestamp: null,
          publicationStatusSummary: {},
        },
      },
    });
    const canceled = await server.call('DELETE', `/subscriptions/${id}`);
    expect(bodyOf(canceled)).toMatchObject({
      code: 200,
      message: `Subscription ${id} canceled.`,
      details: null,
    });
  });

  test('65, 66: built-in services are listed by name, and nothing in the way of waiting for them', async () => {
    const body = bodyOf(await get('/subscriptions'));
    const names: unknown[] = [];
    for (const [key, value] of valuesIn(body)) {
      if (key === 'name') names.push(value);
      if (Array.isArray(value)) expect(value.every((item) => typeof item === 'object')).toBe(true);
    }
    for (const name of names) expect(name).toEqual(expect.any(String));
    expect(names).toEqual(
      expect.arrayContaining(['arranger', 'observer', 'agentchannel', 'localstore']),
    );
  });

  test('68: channels have what clients print, and can be selected by their tags', async () => {
    const { uuid } = detailsOf(
      await server.call('POST', '/agents', {
        body: {
          apiVersion: 'opentestfactory.org/v1alpha1',
          kind: 'AgentRegistration',
          metadata: { name: 'printed', namespaces: 'elsewhere' },
          spec: { tags: ['macos', 'rare'] },
        },
      }),
    );
    const query = 'fieldSelector=(macos)+in+spec.tags,status.phase!=BUSY';
    expect(itemsOf(await get('/channels', query))).toMatchObject([
      {
        metadata: {
          name: 'printed',
          namespaces: 'elsewhere',
          channelhandler_id: expect.stringMatching(UUID),
        },
        spec: { tags: ['macos', 'rare'] },
        status: {
          phase: 'IDLE',
          currentJobID: null,
          lastCommunicationTimestamp: expect.stringMatching(TIMESTAMP),
        },
      },
    ]);
    expect(itemsOf(await get('/channels', 'fieldSelector=status.phase==BUSY'))).toEqual([]);
    await server.call('DELETE', `/agents/${uuid}`);
  });

  test('69: without access control all namespaces are accessible', async () => {
    for (const query of ['', 'resource=workflows&verb=create', 'verb=list&resource=agents']) {
      expect(itemsOf(await get('/namespaces', query))).toEqual(['*']);
    }
  });

  test('70: the version has one name, and lists of components with name and version', async () => {
    const { items } = detailsOf(await get('/version'));
    const { name, ...lists } = items as Loose;
    expect(name).toEqual(expect.any(String));
    expect(Object.keys(lists).length).toBeGreaterThan(0);
    for (const list of Object.values(lists)) {
      for (const component of list as readonly unknown[]) {
        expect(component).toMatchObject({
          name: expect.any(String),
          version: expect.stringMatching(/^\d/),
        });
      }
    }
  });
});
