/** Clocks that are set under a server, and a process that stands still. */

import { parseTimestamp, type Timestamp } from '@tutti/manifests';
import { createToken, ensureSigningKey, systemClock } from '@tutti/server';
import { afterEach, beforeEach, expect } from 'vitest';
import { createApi, detailsOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { phaseOf } from '../support/existing-agent.ts';
import { createGate } from '../support/gate.ts';
import { openInbox } from '../support/inbox.ts';
import { allEvents, ended, logged, logOf, oneJob, sh, start, statusOf } from '../support/runs.ts';
import { shiftedServer } from '../support/shifted-clock.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { attack } from './attack.ts';
import { openStream } from './open-stream.ts';

const HOUR_MS = 3_600_000;
const SSE = { accept: 'text/event-stream' };

let bench: Workbench;
beforeEach(async () => {
  bench = await Workbench.open();
});
afterEach(() => bench.close());

async function tokenFor({ dataDir }: ServerChild, expiresInMs: number): Promise<string> {
  const key = await ensureSigningKey(dataDir);
  return await createToken({ key, subject: 'mallory', clock: systemClock, expiresInMs });
}

const isRefused = async ({ url }: ServerChild, token: string) =>
  (await createApi(url, token).call('GET', '/version')).code === 401;

/** Deviation of the server's clock from the true time, by the timestamp of a run that starts now. */
async function shownShiftMs(server: ServerChild): Promise<number> {
  const [first] = await allEvents(server, await start(server, oneJob('now', [sh('true')])));
  return (parseTimestamp(first?.metadata.creationTimestamp as Timestamp) ?? 0) - Date.now();
}

attack('clock-forward', async () => {
  const { server, shift } = await shiftedServer(bench);
  const token = await tokenFor(server, HOUR_MS);
  const id = await start(server, oneJob('waits', [sh('true')]));
  const stream = openStream(`${server.url}/workflows/${id}/status`, token, SSE);
  await eventually('it is open', () => stream.text.includes('"Workflow"'));
  expect(await isRefused(server, token)).toBe(false);
  await shift(2 * HOUR_MS);
  expect(await isRefused(server, token)).toBe(true);
  await eventually('the stream breaks off', () => stream.isOver);
  expect(Math.abs((await shownShiftMs(server)) - 2 * HOUR_MS)).toBeLessThan(60_000);
});

attack('clock-back', async () => {
  const { server, shift } = await shiftedServer(bench);
  await bench.agent(server, { tags: ['linux'] });
  const steps = [sh('echo begun; sleep 600', { 'timeout-minutes': 0.1 })];
  const id = await start(server, oneJob('stuck', steps));
  await logged(server, id, 'begun');
  await shift(-2 * HOUR_MS);
  expect(Math.abs((await shownShiftMs(server)) + 2 * HOUR_MS)).toBeLessThan(60_000);
  expect(await ended(server, id)).toBe('FAILED');
  expect(await logOf(server, id)).toContain('it ran longer than 6 seconds');
});

attack('clock-timeouts', async () => {
  const { server, shift } = await shiftedServer(bench);
  const agent = await bench.agent(server, { tags: ['linux'] });
  const gate = createGate(bench);
  const job = { 'timeout-minutes': 60 };
  const id = await start(server, oneJob('long', [gate.step, sh('echo next')], job));
  await logged(server, id, 'held');
  await shift(2 * HOUR_MS);
  // A run that starts now: the server has looked at the clock.
  expect(Math.abs((await shownShiftMs(server)) - 2 * HOUR_MS)).toBeLessThan(60_000);
  expect(await statusOf(server, id)).toBe('RUNNING');
  expect(await phaseOf(server, agent.id)).toBe('BUSY');
  await gate.open();
  expect(await ended(server, id)).toBe('DONE');
  expect(await logOf(server, id)).toContain('next');
});

attack('stopped-process', async () => {
  const server = await bench.server();
  const token = await tokenFor(server, 4_000);
  const inbox = await openInbox();
  try {
    const subscriber = createApi(server.url, token);
    const made = await subscriber.call('POST', '/subscriptions', {
      body: {
        apiVersion: 'opentestfactory.org/v1alpha1',
        kind: 'Subscription',
        metadata: { name: 'listener' },
        spec: { selector: { matchKind: 'News' }, subscriber: { endpoint: inbox.endpoint } },
      },
    });
    expect(detailsOf(made).uuid).toBeDefined();
    const stream = openStream(`${server.url}/publications`, token, SSE);
    await eventually('it is open', () => stream.code === 200);
    process.kill(server.child.pid, 'SIGSTOP');
    const body = { kind: 'News', metadata: { namespace: 'default' } };
    // It is there when the process goes on, before any of its timers.
    const publishing = server.call('POST', '/publications', { body });
    await eventually('the token has expired', () => isExpired(token));
    process.kill(server.child.pid, 'SIGCONT');
    expect((await publishing).code).toBe(200);
    await eventually('the stream breaks off', () => stream.isOver);
    expect(stream.text).not.toContain('News');
    expect(await isRefused(server, token)).toBe(true);
    expect(inbox.deliveries).toEqual([]);
  } finally {
    await inbox.close();
  }
});

function isExpired(token: string): boolean {
  const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  return Date.now() > exp * 1000;
}
