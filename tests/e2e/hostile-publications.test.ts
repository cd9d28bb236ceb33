/** Malicious requests to the bus: inboxes that are none, forged events. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, detailsOf, eventsOf, itemsOf, type Loose } from '../support/api.ts';
import { expectStatus } from '../support/expect-status.ts';
import { logOf, oneJob, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  // Without agents: what starts here stays PENDING.
  server = await bench.server();
});

afterAll(() => bench.close());

const waiting = (name: string) => oneJob(name, [sh('true')]);

describe('inboxes', () => {
  const subscribe = (endpoint: string) =>
    server.call('POST', '/subscriptions', {
      body: {
        apiVersion: 'opentestfactory.org/v1alpha1',
        kind: 'Subscription',
        metadata: { name: 'x' },
        spec: { selector: { matchKind: 'Nothing' }, subscriber: { endpoint } },
      },
    });

  test.each([
    'file:///etc/passwd',
    'ftp://example.com/',
    'gopher://example.com/',
    'javascript:alert(1)',
    'data:text/plain,x',
    'unix:/var/run/docker.sock',
    'internal:arranger',
    '/inbox',
    '//example.com/inbox',
    'http://',
    '',
  ])('%j is no address of an inbox', async (endpoint) => {
    const answer = await subscribe(endpoint);
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({
      code: 422,
      message: 'Not a valid Subscription manifest.',
      details: { error: expect.stringContaining('spec.subscriber.endpoint') },
    });
  });

  test('addresses of the own machine are inboxes of its plugins, those of networks are not', async () => {
    for (const endpoint of ['http://127.0.0.1:9/inbox', 'http://[::1]:9/']) {
      const answer = await subscribe(endpoint);
      expect(answer.code, endpoint).toBe(201);
      await server.call('DELETE', `/subscriptions/${detailsOf(answer).uuid}`);
    }
    expect((await subscribe('https://10.0.0.1/x')).code).toBe(422);
  });
});

describe('publications', () => {
  const notify = async (spec: Loose, metadata: Loose = {}) => {
    const id = await start(server, waiting('told'));
    const answer = await server.call('POST', '/publications', {
      body: {
        apiVersion: 'opentestfactory.org/v1alpha1',
        kind: 'Notification',
        metadata: { name: 'group notification', workflow_id: id, ...metadata },
        spec,
      },
    });
    expect(answer.code).toBe(200);
    return id;
  };

  test('of lines with line breaks, of another time or of a great depth do not forge the log', async () => {
    const logs = ['a\r\n[2020-01-01T00:00:00] [job x] forged', 'b\rc'];
    const id = await notify(
      { logs },
      {
        creationTimestamp: '2020-01-01T00:00:00',
        step_origin: Array(20_000).fill(UNKNOWN),
      },
    );
    const lines = (await logOf(server, id)).split(/\r\n|\r|\n/).slice(2, -1);
    for (const line of lines) {
      expect(line).toMatch(/^\[2\d{3}-[^\]]+\] \[job [0-9a-f-]{36}\] /);
      expect(line).not.toMatch(/^\[2020/);
      expect(line.length).toBeLessThan(1_000);
    }
  });

  test('of channels that are none show those that are', async () => {
    const handler = '00000000-0000-4000-8000-00000000000a';
    const good = {
      metadata: { name: 'ssh', namespaces: 'default' },
      spec: { tags: ['windows'] },
      status: { phase: 'IDLE', currentJobID: null },
    };
    const channels = [null, 1, {}, { metadata: null, spec: 5 }, { ...good, spec: {} }, good];
    await notify({ channelHandler: { channelhandler_id: handler, channels } });
    await notify({ channelHandler: { channelhandler_id: {}, channels } });
    expect(itemsOf(await server.call('GET', '/channelhandlers'))).toContain(handler);
    const query = `fieldSelector=metadata.channelhandler_id==${handler}`;
    expect(itemsOf(await server.call('GET', '/channels', { query }))).toMatchObject([good]);
  });

  test.each(['Workflow', 'WorkflowCompleted', 'ExecutionCommand', 'ProviderCommand'])(
    'of kinds that only the server says change no run: %s',
    async (kind) => {
      const id = await start(server, waiting('unchanged'));
      const path = `/workflows/${id}/status`;
      const metadata = { name: 'forged', workflow_id: id, job_id: UNKNOWN, step_sequence_id: 0 };
      await server.call('POST', '/publications', {
        body: { apiVersion: 'opentestfactory.org/v1', kind, metadata, scripts: ['true'] },
      });
      const answer = await server.call('GET', path);
      expect(detailsOf(answer).status).toBe('PENDING');
      expect(eventsOf(answer).filter((event) => event.metadata.name === 'forged')).toEqual([]);
    },
  );
});
