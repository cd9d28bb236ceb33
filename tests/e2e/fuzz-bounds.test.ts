/** Limits for data from strangers: registrations, subscriptions and events (specification part 8). */
import { AGENT_LIMITS, SUBSCRIPTION_LIMITS } from '@tutti/manifests';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, detailsOf, type Loose } from '../support/api.ts';
import { expectStatus } from '../support/expect-status.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const MIB = 1024 * 1024;

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
});

afterAll(() => bench.close());

const agent = (metadata: Loose, tags: readonly string[] = ['linux']) => ({
  apiVersion: 'opentestfactory.org/v1alpha1',
  kind: 'AgentRegistration',
  metadata: { name: 'agent', ...metadata },
  spec: { tags },
});

const register = (body: object) => server.call('POST', '/agents', { body });

describe('the registration of an agent', () => {
  test.each<[string, object, string]>([
    ['a long name', agent({ name: 'x'.repeat(AGENT_LIMITS.nameLength + 1) }), 'metadata.name'],
    ['many tags', agent({}, Array(AGENT_LIMITS.tags + 1).fill('a')), 'spec.tags'],
    ['a long tag', agent({}, ['x'.repeat(AGENT_LIMITS.tagLength + 1)]), 'spec.tags[0]'],
    ['a namespace with a blank', agent({ namespaces: 'A B' }), 'metadata.namespaces'],
    ['a namespace that climbs', agent({ namespaces: '../a' }), 'metadata.namespaces'],
    ['an empty name in a list', agent({ namespaces: 'a,,b' }), 'metadata.namespaces'],
    ['namespaces with a line break', agent({ namespaces: 'a\nb' }), 'metadata.namespaces'],
    ['namespaces without end', agent({ namespaces: `a${',a'.repeat(5_000)}` }), 'namespaces'],
  ])('with %s is Invalid', async (_name, manifest, path) => {
    const answer = await register(manifest);
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({
      code: 422,
      message: 'Not a valid AgentRegistration manifest.',
      details: { error: expect.stringContaining(path) },
    });
  });

  test.each(['', '*', 'default', 'a,b', 'team-1, Team-2', '*,a', ' a '])(
    'for the namespaces "%s" is accepted',
    async (namespaces) => {
      const answer = await register(agent({ namespaces }));
      expect(answer.code, answer.text).toBe(201);
      await server.call('DELETE', `/agents/${detailsOf(answer).uuid}`);
    },
  );

  test('with all that is allowed is accepted', async () => {
    const tags = Array.from({ length: 200 }, (_, index) => `t${index}`.padEnd(200, 'x'));
    const answer = await register(agent({ name: 'é'.repeat(AGENT_LIMITS.nameLength) }, tags));
    expect(answer.code, answer.text).toBe(201);
    await server.call('DELETE', `/agents/${detailsOf(answer).uuid}`);
  });

  test.each<[string, object]>([
    ['a hundred thousand tags', agent({}, Array(100_000).fill('tag'))],
    ['much that nobody knows', agent({ note: 'x'.repeat(MIB) })],
  ])('with %s is too large', async (_name, manifest) => {
    const answer = await register(manifest);
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({ code: 413, message: expect.stringContaining('65536') });
  });
});

describe('a subscription', () => {
  const { textLength, endpointLength, conditions } = SUBSCRIPTION_LIMITS;
  const long = 'x'.repeat(textLength + 1);
  const many = Object.fromEntries(
    Array.from({ length: conditions + 1 }, (_, index) => [`key${index}`, 'x']),
  );
  const subscription = (name: string, selector: object, endpoint = 'http://127.0.0.1:9/inbox') => ({
    apiVersion: 'opentestfactory.org/v1alpha1',
    kind: 'Subscription',
    metadata: { name },
    spec: { selector, subscriber: { endpoint } },
  });
  const subscribe = (body: object) => server.call('POST', '/subscriptions', { body });
  const kind = { matchKind: 'Nothing' };

  test.each<[string, object, string]>([
    ['name', subscription(long, kind), 'metadata.name'],
    ['kind', subscription('x', { matchKind: long }), 'matchKind'],
    ['field', subscription('x', { matchFields: { kind: long } }), 'matchFields'],
    ['label', subscription('x', { matchLabels: { kind: long } }), 'matchLabels'],
    ['address', subscription('x', kind, `http://a/${'x'.repeat(endpointLength)}`), 'endpoint'],
    ['list of fields', subscription('x', { matchFields: many }), 'matchFields'],
    ['list of labels', subscription('x', { matchLabels: many }), 'matchLabels'],
  ])('with a %s that is too long is Invalid', async (_name, manifest, path) => {
    const answer = await subscribe(manifest);
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({
      code: 422,
      message: 'Not a valid Subscription manifest.',
      details: { error: expect.stringContaining(path) },
    });
  });

  // Bound: A registration.
  test('with a name of a megabyte is too large', async () => {
    const answer = await subscribe(subscription('x'.repeat(MIB), kind));
    expectStatus(answer);
    expect(answer.code).toBe(413);
  });
});

describe('an event from outside', () => {
  const event = (bytes: number) => ({ kind: 'Mine', text: 'x'.repeat(bytes) });
  const publish = (body: object) => server.call('POST', '/publications', { body });

  // Bound: A post of output.
  // Bound: An event.
  test('of some megabytes is received, and a larger one is too large', async () => {
    expect((await publish(event(4 * MIB - 100))).code).toBe(200);
    const answer = await publish(event(4 * MIB));
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({
      code: 413,
      message: `A request body may have ${4 * MIB} bytes at most.`,
    });
  });
});
