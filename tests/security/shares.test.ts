/** One subject, and one namespace, has a part of each limit (section 12). */
import { once } from 'node:events';
import { afterEach, beforeEach, expect } from 'vitest';
import { bodyOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { registerExisting } from '../support/existing-agent.ts';
import { ended, oneJob, sh, start } from '../support/runs.ts';
import { openSlowRequest, type SlowRequest } from '../support/slow-request.ts';
import { openTenants, type Tenants } from '../support/tenants.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { attack } from './attack.ts';

let bench: Workbench;
const opened: SlowRequest[] = [];
const streams = new AbortController();
/** An answer that nobody refers to is closed when garbage is collected. */
const kept: Response[] = [];

beforeEach(async () => {
  bench = await Workbench.open();
});

afterEach(async () => {
  for (const { socket } of opened.splice(0)) socket.destroy();
  kept.splice(0);
  await bench.close();
});

const waiting = oneJob('goes on', [sh('true')], { 'runs-on': 'nowhere' });
const EVENT_STREAM = 'text/event-stream';

/** An answer that stays open; its code. */
async function follow({ url, token }: ServerChild, path: string, accept = EVENT_STREAM) {
  const headers = { authorization: `Bearer ${token}`, accept };
  const response = await fetch(`${url}${path}`, { headers, signal: streams.signal });
  kept.push(response);
  return { code: response.status, message: response.ok ? '' : await response.text() };
}

async function codesOf(count: number, ask: () => Promise<{ readonly code: number }>) {
  const codes: number[] = [];
  for (let index = 0; index < count; index += 1) codes.push((await ask()).code);
  return codes;
}

const times = (code: number, count: number): readonly number[] => Array<number>(count).fill(code);

attack('all-followers', async () => {
  const { as } = await openTenants(bench, { config: { limits: { followers: 16 } } });
  const [mallory, bob, carol] = ['mallory', 'bob', 'carol'].map((name) => as(name, 'theirs'));
  const alice = as('alice', 'ours');
  if (mallory === undefined || bob === undefined || carol === undefined)
    throw new Error('No tenants.');
  const id = await start(mallory, waiting, 'namespace=theirs');
  const ours = await start(alice, waiting, 'namespace=ours');
  expect(await codesOf(3, () => follow(mallory, `/workflows/${id}/status`))).toEqual(times(200, 3));
  expect((await follow(mallory, `/workflows/${id}/logs?follow`, 'text/plain')).code).toBe(200);
  for (const path of [`/workflows/${id}/status`, `/workflows/${id}/logs?follow`]) {
    const refused = await follow(mallory, path);
    expect(refused.code).toBe(429);
    expect(refused.message).toContain(
      'User \\"mallory\\" may have 4 of the 16 answers that stay open (limits.followers): the share of one subject (limits.subjectShare). Try again later.',
    );
  }
  expect(await codesOf(4, () => follow(bob, `/workflows/${id}/status`))).toEqual(times(200, 4));
  // The namespace has its share now, whatever subject asks.
  expect((await follow(carol, `/workflows/${id}/status`)).message).toContain(
    'Namespace \\"theirs\\" may have 8 of the 16 answers that stay open (limits.followers): the share of one namespace (limits.namespaceShare).',
  );
  expect(await codesOf(4, () => follow(alice, `/workflows/${ours}/status`))).toEqual(times(200, 4));
});

attack('all-publication-readers', async () => {
  const { as } = await openTenants(bench);
  const look = (subject: string, namespace: string) => () =>
    follow(as(subject, namespace), '/publications');
  expect(await codesOf(26, look('mallory', 'theirs'))).toEqual([...times(200, 25), 429]);
  expect(await codesOf(26, look('bob', 'theirs'))).toEqual([...times(200, 25), 429]);
  expect(await codesOf(1, look('carol', 'theirs'))).toEqual([429]);
  expect(await codesOf(25, look('alice', 'ours'))).toEqual(times(200, 25));
});

attack('all-subscriptions', async () => {
  const tenants = await openTenants(bench, { config: { limits: { subscriptions: 8 } } });
  let count = 0;
  const subscribe = ({ as }: Tenants, subject: string, namespace: string) => {
    count += 1;
    const endpoint = `http://127.0.0.1:9/inbox-${count}`;
    return as(subject, namespace).call('POST', '/subscriptions', {
      body: {
        apiVersion: 'opentestfactory.org/v1alpha1',
        kind: 'Subscription',
        metadata: { name: `s${count}` },
        spec: { selector: { matchKind: 'Workflow' }, subscriber: { endpoint } },
      },
    });
  };
  const codes = await codesOf(3, () => subscribe(tenants, 'mallory', 'theirs'));
  expect(codes).toEqual([201, 201, 429]);
  const after = await tenants.restart();
  const refused = await subscribe(after, 'mallory', 'theirs');
  expect(bodyOf(refused)).toMatchObject({
    code: 429,
    message:
      'User "mallory" may have 2 of the 8 subscriptions (limits.subscriptions): the share of one subject (limits.subjectShare). Try again later.',
  });
  expect((await subscribe(after, 'alice', 'ours')).code).toBe(201);
});

// Bound: Connections of one subject, and of one namespace.
attack('all-connections', async () => {
  const { as } = await openTenants(bench, { config: { limits: { connections: 100 } } });
  const mallory = as('mallory', 'theirs');
  const ask = async ({ url, token }: ServerChild) => {
    const headers = { authorization: `Bearer ${token}` };
    const request = await openSlowRequest(url, { method: 'GET', path: '/version', headers });
    opened.push(request);
    await eventually('an answer', () => request.answer !== '');
    return request;
  };
  for (let index = 0; index < 20; index += 1) {
    expect((await ask(mallory)).answer).toMatch(/^HTTP\/1.1 200 /);
  }
  const refused = await ask(mallory);
  expect(refused.answer).toMatch(/^HTTP\/1.1 429 /);
  expect(refused.answer).toContain(
    'User \\"mallory\\" may have 20 of the 80 open connections (limits.connections): the share of one subject (limits.subjectShare).',
  );
  await eventually('its end', () => refused.isClosed);
  expect((await ask(as('alice', 'ours'))).answer).toMatch(/^HTTP\/1.1 200 /);
  // Agents of the subject are counted apart: hundreds share a token.
  const agent = await registerExisting(mallory, ['linux'], { metadata: { namespaces: 'theirs' } });
  expect((await agent.poll()).code).toBe(204);
});

const worker = (status: 'setup' | 'teardown', id: string, namespace: string) => ({
  body: {
    apiVersion: 'opentestfactory.org/v1alpha1',
    kind: 'Notification',
    metadata: { name: 'reading', workflow_id: id, namespace },
    spec: { worker: { worker_id: 'reader', status } },
  },
});

attack('all-gate-waits', async () => {
  const { as } = await openTenants(bench, { config: { limits: { followers: 16 } } });
  const [mallory, alice] = [as('mallory', 'theirs'), as('alice', 'ours')];
  const judge = async (server: ServerChild, namespace: string) => {
    const id = await start(server, waiting, `namespace=${namespace}`);
    await server.call('POST', '/publications', worker('setup', id, namespace));
    await server.call('DELETE', `/workflows/${id}`);
    await ended(server, id);
    const ask = () => server.call('GET', `/workflows/${id}/qualitygate`, { query: 'timeout=60' });
    const end = () => server.call('POST', '/publications', worker('teardown', id, namespace));
    return { ask, end };
  };
  const [theirs, ours] = [await judge(mallory, 'theirs'), await judge(alice, 'ours')];
  const answers: number[] = [];
  const asked = Array.from({ length: 6 }, async () => answers.push((await theirs.ask()).code));
  await eventually('answers beyond the share', () => answers.length === 2);
  const waits = ours.ask();
  await ours.end();
  expect((await waits).code).toBe(200);
  expect(answers).toEqual([202, 202]);
  await theirs.end();
  await Promise.all(asked);
  expect(answers).toEqual([202, 202, 200, 200, 200, 200]);
});

attack('all-insight-requests', async () => {
  const { as } = await openTenants(bench);
  const [mallory, alice] = [as('mallory', 'theirs'), as('alice', 'ours')];
  const insights = { insights: [{ name: 'log', kind: 'ExecutionLog' }] };
  const ask = (server: ServerChild, id: string) => () =>
    server.call('POST', `/workflows/${id}/insights`, { query: 'insight=*', body: insights });
  const theirs = await start(mallory, waiting, 'namespace=theirs');
  const ours = await start(alice, waiting, 'namespace=ours');
  // While somebody works on a run, its insights wait.
  for (const [server, id, namespace] of [
    [mallory, theirs, 'theirs'],
    [alice, ours, 'ours'],
  ] as const) {
    const published = await server.call('POST', '/publications', worker('setup', id, namespace));
    expect(published.code).toBe(200);
  }
  expect(await codesOf(17, ask(mallory, theirs))).toEqual([...times(200, 16), 429]);
  expect((await ask(alice, ours)()).code).toBe(200);
});

// Bound: Registered agents of one namespace.
attack('all-agents', async () => {
  const { as } = await openTenants(bench, { config: { limits: { agents: 8 } } });
  const register = (server: ServerChild, namespaces: string) => () =>
    server.call('POST', '/agents', {
      body: {
        apiVersion: 'opentestfactory.org/v1alpha1',
        kind: 'AgentRegistration',
        metadata: { name: 'one', namespaces },
        spec: { tags: ['linux'] },
      },
    });
  const theirs = register(as('mallory', 'theirs'), 'theirs');
  expect(await codesOf(5, theirs)).toEqual([...times(201, 4), 429]);
  expect(bodyOf(await theirs()).message).toBe(
    'Namespace "theirs" may have 4 of the 8 registered agents (limits.agents): the share of one namespace (limits.namespaceShare). Try again later.',
  );
  expect(await codesOf(1, register(as('alice', 'ours'), 'ours'))).toEqual([201]);
});

// Bound: Unfinished runs of one namespace.
attack('all-runs', async () => {
  const tenants = await openTenants(bench, { config: { limits: { runs: 8 } } });
  const startIn =
    ({ as }: Tenants, subject: string, namespace: string) =>
    () =>
      as(subject, namespace).call('POST', '/workflows', {
        body: waiting,
        query: `namespace=${namespace}`,
      });
  expect(await codesOf(5, startIn(tenants, 'mallory', 'theirs'))).toEqual([...times(201, 4), 429]);
  const after = await tenants.restart();
  const refused = await startIn(after, 'bob', 'theirs')();
  expect(bodyOf(refused)).toMatchObject({
    code: 429,
    message:
      'Namespace "theirs" may have 4 workflows that are not over: the share of one namespace (limits.namespaceShare) of limits.runs. Wait until some have ended, or cancel some.',
  });
  expect(await codesOf(1, startIn(after, 'alice', 'ours'))).toEqual([201]);
});

/** The server has the head of a dry run, and waits for its body. */
async function openDryRun({ url, token }: ServerChild, namespace: string, body: string) {
  const request = await openSlowRequest(url, {
    method: 'POST',
    path: `/workflows?dryRun&namespace=${namespace}`,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/yaml',
      'content-length': body.length,
    },
  });
  opened.push(request);
  return { ...request, send: () => request.send(body), answered: once(request.socket, 'data') };
}

attack('turns-of-others', async () => {
  const { as, server } = await openTenants(bench);
  const [mallory, alice] = [as('mallory', 'theirs'), as('alice', 'ours')];
  // The server has verified both tokens.
  for (const api of [mallory, alice]) expect((await api.call('GET', '/version')).code).toBe(200);
  const costly = Array.from({ length: 60 }, () => openDryRun(mallory, 'theirs', '{'.repeat(4_000)));
  const requests = [...(await Promise.all(costly)), await openDryRun(alice, 'ours', '{}')];
  const order: number[] = [];
  const answers = requests.map(({ answered }, index) => answered.then(() => order.push(index)));
  // All bodies are there when it goes on.
  process.kill(server.child.pid, 'SIGSTOP');
  for (const { send } of requests) await send();
  process.kill(server.child.pid, 'SIGCONT');
  await Promise.all(answers);
  expect(order.indexOf(60)).toBeLessThan(20);
});
