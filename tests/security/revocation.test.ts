/** Revoked, expired and reduced tokens, and all that is still open with them. */
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createToken, ensureSigningKey, systemClock } from '@tutti/server';
import { afterEach, beforeEach, expect } from 'vitest';
import { runCli } from '../e2e/cli-process.ts';
import { bodyOf, createApi, detailsOf, type Loose } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { phaseOf, registerExisting } from '../support/existing-agent.ts';
import { createGate } from '../support/gate.ts';
import { type Inbox, openInbox } from '../support/inbox.ts';
import { oneJob, sh, start, statusOf } from '../support/runs.ts';
import { openSlowRequest, type SlowRequest } from '../support/slow-request.ts';
import { signedToken } from '../support/tokens.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { ROWS } from './access-rows.ts';
import { attack } from './attack.ts';
import { openStream } from './open-stream.ts';

let bench: Workbench;
let inboxes: Inbox[] = [];
beforeEach(async () => {
  bench = await Workbench.open();
});
afterEach(async () => {
  await Promise.all(inboxes.map((inbox) => inbox.close()));
  inboxes = [];
  await bench.close();
});

const SSE = { accept: 'text/event-stream' };
const cli = (...args: readonly string[]) =>
  runCli(args, { cwd: bench.folder, env: { HOME: bench.folder } });

async function tokens(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cli('tokens', ...args);
  expect([code, stderr]).toEqual([0, '']);
  return stdout.trim();
}

const create = ({ dataDir }: ServerChild) =>
  tokens('create', '--data-dir', dataDir, '--subject', 'mallory');
const rotate = ({ dataDir }: ServerChild) => tokens('rotate', '--data-dir', dataDir);
const revoke = ({ dataDir }: ServerChild, ...args: readonly string[]) =>
  tokens('revoke', '--data-dir', dataDir, ...args);

/** The server with the token that its data directory has now. */
const asAdmin = ({ url, dataDir }: ServerChild) =>
  createApi(url, readFileSync(join(dataDir, 'admin.token'), 'utf8').trim());

async function newInbox(): Promise<Inbox> {
  const inbox = await openInbox();
  inboxes.push(inbox);
  return inbox;
}

const subscription = ({ endpoint }: Inbox, selector: Loose = { matchKind: 'News' }) => ({
  apiVersion: 'opentestfactory.org/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'listener' },
  spec: { selector, subscriber: { endpoint } },
});

async function subscribe(
  url: string,
  token: string,
  inbox: Inbox,
  selector?: Loose,
): Promise<string> {
  const body = subscription(inbox, selector);
  const answer = await createApi(url, token).call('POST', '/subscriptions', { body });
  expect(answer.code).toBe(201);
  return String(detailsOf(answer).uuid);
}

const news = (server: ServerChild, n: number) =>
  asAdmin(server).call('POST', '/publications', {
    body: { kind: 'News', metadata: { namespace: 'default' }, n },
  });

const numbers = ({ deliveries }: Inbox) => deliveries.map(({ event }) => event.n);

async function suspendedOf(server: ServerChild, id: string): Promise<unknown> {
  const { items } = bodyOf(await asAdmin(server).call('GET', '/subscriptions'));
  const found = Object.entries(items ?? {}).find(([key]) => key === id)?.[1];
  return found?.status.suspended;
}

const isRefused = async ({ url }: ServerChild, token: string) =>
  (await createApi(url, token).call('GET', '/version')).code === 401;

const refused = (server: ServerChild, token: string) =>
  eventually('the token is refused', () => isRefused(server, token));

attack('revoked-inbox', async () => {
  const server = await bench.server();
  const [inbox, other] = [await newInbox(), await newInbox()];
  const id = await subscribe(server.url, await create(server), inbox);
  const otherId = await subscribe(server.url, server.token, other);
  await news(server, 1);
  await eventually('both have it', () => numbers(inbox).length + numbers(other).length === 2);
  await rotate(server);
  await eventually('it is listed as suspended', () => suspendedOf(server, id));
  await subscribe(server.url, asAdminToken(server), other);
  await news(server, 2);
  await eventually('the one that is subscribed anew has it', () => numbers(other).length === 2);
  expect(await suspendedOf(server, otherId)).toBeUndefined();
  expect(await suspendedOf(server, id)).toBe('Invalid JWT token.');
  expect(numbers(inbox)).toEqual([1]);
  // The same subscription, with a token that counts, goes on with what waited.
  await subscribe(server.url, await create(server), inbox);
  await eventually('what waited comes', () => numbers(inbox).length === 2);
});

const asAdminToken = ({ dataDir }: ServerChild): string =>
  readFileSync(join(dataDir, 'admin.token'), 'utf8').trim();

attack('revoked-inbox-at-start', async () => {
  const server = await bench.server();
  const [inbox, other] = [await newInbox(), await newInbox()];
  const token = await create(server);
  const id = await subscribe(server.url, token, inbox);
  await subscribe(server.url, server.token, other);
  inbox.answerWith(503);
  await news(server, 1);
  await eventually('it was tried', () => inbox.deliveries.length > 0);
  const tried = inbox.deliveries.length;
  await server.child.kill('SIGKILL');
  await revoke(server, '--token-file', fileOf(token));
  inbox.answerWith(200);
  const again = await bench.server({ dataDir: server.dataDir });
  await news(again, 2);
  await eventually('the other one goes on', () => numbers(other).includes(2));
  expect(await suspendedOf(again, id)).toBe('The token was revoked.');
  expect(inbox.deliveries.length - tried).toBeLessThanOrEqual(1);
  expect(numbers(inbox)).not.toContain(2);
});

function fileOf(token: string): string {
  const file = bench.path('token');
  writeFileSync(file, token);
  return file;
}

/** For a few seconds from now on. */
const expiringToken = async ({ dataDir }: ServerChild): Promise<string> =>
  createToken({
    key: await ensureSigningKey(dataDir),
    subject: 'mallory',
    clock: systemClock,
    expiresInMs: 4_000,
  });

attack('expired-inbox', async () => {
  const server = await bench.server();
  const [inbox, other] = [await newInbox(), await newInbox()];
  await subscribe(server.url, server.token, other);
  const id = await subscribe(server.url, await expiringToken(server), inbox);
  await eventually('it is listed as suspended', () => suspendedOf(server, id));
  await news(server, 1);
  await eventually('the other one has it', () => numbers(other).length === 1);
  expect(numbers(inbox)).toEqual([]);
});

attack('revoked-poll', async () => {
  const server = await bench.server();
  const token = await create(server);
  const agent = await bench.agent({ url: server.url, token }, { tags: ['linux'] });
  await eventually('it is there', async () => (await phaseOf(server, agent.id)) === 'IDLE');
  await revoke(server, '--token-file', fileOf(token));
  const isLost = async () => (await phaseOf(server, agent.id)) === 'UNREACHABLE';
  await eventually('its poll ends', isLost, { withinMs: 10_000 });
  const steps = [sh('echo "$SECRET" > got', { variables: { SECRET: 'secret' } })];
  const id = await start(server, oneJob('with-secrets', steps));
  const honest = await bench.agent(server, { tags: ['linux'], name: 'honest' });
  await eventually('the job ran elsewhere', async () => (await statusOf(server, id)) === 'DONE');
  expect(existsSync(join(agent.workspaceDir, 'got'))).toBe(false);
  expect(honest.child.isRunning).toBe(true);
});

attack('revoked-existing-agent', async () => {
  const server = await bench.server();
  const token = await create(server);
  const agent = await registerExisting(createApi(server.url, token), ['linux'], {
    spec: { liveness_probe: 600 },
  });
  expect((await agent.poll()).code).toBe(204);
  expect(await phaseOf(server, agent.id)).toBe('IDLE');
  await revoke(server, '--token-file', fileOf(token));
  await eventually(
    'it is not offered',
    async () => (await phaseOf(server, agent.id)) === 'UNREACHABLE',
  );
  const id = await start(server, oneJob('next', [sh('true')]));
  await bench.agent(server, { tags: ['linux'], name: 'honest' });
  await eventually('the job ran elsewhere', async () => (await statusOf(server, id)) === 'DONE');
  expect((await agent.poll()).code).toBe(401);
});

attack('revoked-stream', async () => {
  const server = await bench.server();
  await bench.agent(server, { tags: ['linux'] });
  const token = await create(server);
  const gate = createGate(bench);
  const id = await start(server, oneJob('long', [gate.step]));
  const at = `${server.url}/workflows/${id}`;
  const streams = [
    openStream(`${at}/status`, token, SSE),
    openStream(`${at}/logs?follow`, token),
    openStream(`${server.url}/publications`, token, SSE),
    openStream(`${server.url}/publications`, server.token, SSE),
  ];
  await eventually('all are open', () => streams.every(({ code }) => code === 200));
  await revoke(server, '--token-file', fileOf(token));
  await eventually('those of the token break off', () =>
    streams.slice(0, 3).every(({ isOver }) => isOver),
  );
  const [events, log, publications, honest] = streams;
  await news(server, 1);
  await eventually('the others go on', () => honest?.text.includes('"News"'));
  expect([events?.text, log?.text, publications?.text].join('')).not.toContain('"News"');
  expect(honest?.isOver).toBe(false);
  await gate.open();
  honest?.close();
});

attack('expired-stream', async () => {
  const server = await bench.server();
  const id = await start(server, oneJob('waits', [sh('true')]));
  const token = await expiringToken(server);
  const stream = openStream(`${server.url}/workflows/${id}/status`, token, SSE);
  await eventually('it is open', () => stream.text.includes('"Workflow"'));
  await eventually('it breaks off', () => stream.isOver);
  expect(stream.text).not.toContain('event: end');
  expect(await isRefused(server, token)).toBe(true);
});

attack('revoked-upload', async () => {
  const server = await bench.server();
  const token = await create(server);
  const uploads = new Map<string, SlowRequest>();
  for (const [endpoint, { allowed, prepare }] of Object.entries(ROWS)) {
    const { path, query = '', body } = await prepare({ admin: server, ours: server });
    // The server reads no body of a file that nobody asked for.
    if (body === undefined || allowed === 404) continue;
    const [method = ''] = endpoint.split(' ');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const upload = await openSlowRequest(server.url, {
      ...{ method, path: `${path}?${query}` },
      headers: { ...headers, 'content-length': 30_000 },
    });
    await upload.send('{"metadata":');
    uploads.set(endpoint, upload);
  }
  expect([...uploads.keys()]).toEqual(
    expect.arrayContaining(['POST /workflows', 'POST /publications', 'POST /agents/{agent_id}']),
  );
  const { items: before } = detailsOf(await server.call('GET', '/workflows'));
  await revoke(server, '--token-file', fileOf(token));
  await eventually('all connections are closed', () =>
    [...uploads.values()].every(({ isClosed }) => isClosed),
  );
  for (const [endpoint, { answer }] of uploads) {
    expect(answer, endpoint).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer, endpoint).toContain('The token was revoked.');
  }
  expect(detailsOf(await server.call('GET', '/workflows')).items).toEqual(before);
});

const policy = (namespace: string, resource: string) =>
  JSON.stringify({
    apiVersion: 'abac.opentestfactory.org/v1alpha1',
    kind: 'Policy',
    spec: { user: 'mallory', namespace, resource },
  });

attack('reduced-rights', async () => {
  const [tokenFile, policyFile] = [bench.path('tokens'), bench.path('policies')];
  writeFileSync(tokenFile, 'static-token,Mallory,mallory\n');
  const all = [policy('default', '*'), policy('team-a', '*')];
  writeFileSync(policyFile, `${all.join('\n')}\n`);
  const server = await bench.server({ config: { auth: { tokenFile, policyFile } } });
  const inbox = await newInbox();
  const subscriptionId = await subscribe(server.url, 'static-token', inbox);
  const id = await start(server, oneJob('waits', [sh('true')]));
  const stream = openStream(`${server.url}/workflows/${id}/status`, 'static-token', SSE);
  await eventually('it is open', () => stream.text.includes('"Workflow"'));
  writeFileSync(policyFile, `${all[1]}\n`);
  await eventually('the stream breaks off', () => stream.isOver);
  await eventually('the inbox is suspended', () => suspendedOf(server, subscriptionId));
  await news(server, 1);
  writeFileSync(policyFile, `${all.join('\n')}\n`);
  await eventually('what waited comes with the rights', () => numbers(inbox).length === 1);
  expect(await suspendedOf(server, subscriptionId)).toBeUndefined();
});

attack('reduced-commands', async () => {
  const [tokenFile, policyFile] = [bench.path('tokens'), bench.path('policies')];
  writeFileSync(tokenFile, 'static-token,Mallory,mallory\n');
  writeFileSync(policyFile, `${policy('default', '*')}\n`);
  const server = await bench.server({ config: { auth: { tokenFile, policyFile } } });
  const [inbox, other] = [await newInbox(), await newInbox()];
  const commands = { matchKind: 'ExecutionCommand' };
  const id = await subscribe(server.url, 'static-token', inbox, commands);
  await subscribe(server.url, server.token, other, commands);
  writeFileSync(policyFile, `${policy('default', 'subscriptions')}\n`);
  await eventually('the inbox is suspended', () => suspendedOf(server, id));
  expect(await suspendedOf(server, id)).toContain('commands');
  await start(server, oneJob('waits', [sh('true')]));
  await eventually('who carries out commands has it', () => other.deliveries.length > 0);
  expect(inbox.deliveries).toEqual([]);
});

attack('one-token', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const path = bench.path('authority.pem');
  writeFileSync(path, publicKey.export({ type: 'spki', format: 'pem' }));
  const trustedKeys = [{ path, namespaces: '*' }];
  const server = await bench.server({ config: { auth: { trustedKeys } } });
  const [stolen, kept] = [await create(server), await create(server)];
  const foreign = (jti: string) =>
    signedToken(privateKey, { header: { alg: 'EdDSA' }, claims: { sub: 'ci', jti } });
  expect(await isRefused(server, foreign('one'))).toBe(false);
  await revoke(server, '--token-file', fileOf(stolen));
  await revoke(server, '--id', 'one');
  await Promise.all([refused(server, stolen), refused(server, foreign('one'))]);
  expect(await isRefused(server, kept)).toBe(false);
  expect(await isRefused(server, foreign('two'))).toBe(false);
  await server.child.kill('SIGTERM');
  const again = await bench.server({ dataDir: server.dataDir, config: { auth: { trustedKeys } } });
  expect(await isRefused(again, stolen)).toBe(true);
  expect(await isRefused(again, foreign('one'))).toBe(true);
  expect(await isRefused(again, kept)).toBe(false);
});
