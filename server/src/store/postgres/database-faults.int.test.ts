/** A database that is away, silent or slow: waits, their bounds, and signs. */
import { isOrchestratorError, type Timestamp } from '@tutti/manifests';
import { Client } from 'pg';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { DatabaseProxy } from '../../../../tests/support/database-proxy.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import {
  databaseIn,
  describeWithPostgres,
  installPostgres,
  PostgresServer,
} from '../../../../tests/support/postgres-server.ts';
import { createMeters } from '../../runtime/meters.ts';
import { append, eventJson, workflowId } from '../conformance/samples.ts';
import type { DatabaseStore } from '../database-signs.ts';
import type { PostgresLimits } from './limits.ts';
import { openPostgresStore, openReplicaStore } from './postgres-store.ts';

const RUN = workflowId(1);
const QUICK = { partitionDays: 0, retryMs: 20, lookMs: 20, connectMs: 300 };
/** Requests are refused soon. */
const IMPATIENT = { ...QUICK, patienceMs: 200 };

/** More tries of both than fit into that time: a connection that is silent takes longer. */
const PATIENT_TRIES = 6;

let server: PostgresServer;
let proxy: DatabaseProxy;
let url: string;
let store: DatabaseStore | null = null;
const meters = { ...createMeters() };

describeWithPostgres(installPostgres(), 'a database with faults', (programs) => {
  beforeEach(async () => {
    server ??= await PostgresServer.start(programs);
    proxy = await DatabaseProxy.open(server.port);
    url = await server.createDatabase();
    meters.database = createMeters().database;
  });
  afterEach(async () => {
    await store?.close();
    store = null;
    proxy.close();
  });
  afterAll(() => server?.remove());
  describeSilence();
  describeAbsence();
});

async function open(limits: Partial<PostgresLimits>, place = proxy.urlOf(url)) {
  const clock = { monotonicMs: () => performance.now() };
  store = await openPostgresStore({ url: place, limits, meter: { clock, meters } });
  return store;
}

async function refusalOf(work: Promise<unknown>) {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!isOrchestratorError(error)) throw new Error('It was not refused.', { cause: error });
  return error;
}

/** The removal of rows at the start has ended: a close would wait for it. */
const isClean = (opened: DatabaseStore) => opened.forgetExecutions('0' as Timestamp);

function describeSilence() {
  test('an append goes on, once, when the network was silent and works again', async () => {
    const opened = await open(QUICK);
    await opened.append(append(RUN, 0));
    await isClean(opened);
    proxy.stall();
    const made = proxy.connections;
    const appended = opened.append(append(RUN, 1));
    await eventually('looks for the database', async () => proxy.connections > made + 1);
    expect(opened.database.waitingMs()).toBeGreaterThan(0);
    proxy.resume();
    expect(await appended).toEqual({ outcome: 'appended', seq: 2 });
    expect((await opened.events(RUN, 1, 10))?.items).toEqual([eventJson(1), eventJson(2)]);
    expect(meters.database.lostConnections.count).toBeGreaterThan(0);
    expect(meters.database.doubts.total).toBe(1);
    expect(opened.database.waitingMs()).toBe(0);
  });

  // Bound: The time of a read with such a database.
  test('reads are refused after a time, also those that wait for a connection', async () => {
    const opened = await open({ ...IMPATIENT, readConnectionsMax: 1 });
    await opened.append(append(RUN, 0));
    await opened.events(RUN, 1, 10);
    proxy.stall();
    const reads = [1, 2, 3].map(() => refusalOf(opened.events(RUN, 1, 10)));
    const reasons = (await Promise.all(reads)).map(({ reason }) => reason);
    expect(reasons).toEqual(Array.from(reads, () => 'ServiceUnavailable'));
    proxy.resume();
    await eventually('the database', async () => (await opened.database.look()) === null);
    expect((await opened.events(RUN, 1, 10))?.total).toBe(1);
  });

  test('what a replica does while it becomes active is not refused: it waits for the database', async () => {
    const opened = await openReplicaStore({ url: proxy.urlOf(url), limits: IMPATIENT });
    store = opened;
    const [row] = await server.query(
      databaseIn(url),
      'INSERT INTO writers DEFAULT VALUES RETURNING writer',
    );
    proxy.stall();
    opened.beginWriting(Number(row?.writer));
    const made = proxy.connections;
    const read = opened.documents('subscriptions');
    const written = opened.append(append(RUN, 0));
    // Reads and writes each try again several times, so their time is over.
    await eventually('the end of patience', () => proxy.connections > made + PATIENT_TRIES);
    proxy.resume();
    expect(await read).toEqual([]);
    expect(await written).toEqual({ outcome: 'appended', seq: 1 });
    opened.hasBegun();
    proxy.stall();
    const late = await refusalOf(opened.documents('subscriptions'));
    expect(late.reason).toBe('ServiceUnavailable');
    proxy.resume();
  });

  test('a statement that the database still works on is waited for', async () => {
    const opened = await open(QUICK);
    await opened.append(append(RUN, 0));
    const other = new Client({ connectionString: url });
    await other.connect();
    await other.query('BEGIN; LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
    const made = proxy.connections;
    const appended = opened.append(append(RUN, 1));
    await eventually('looks at the statement', async () => proxy.connections > made + 2);
    await other.query('COMMIT');
    await other.end();
    expect(await appended).toEqual({ outcome: 'appended', seq: 2 });
    expect(meters.database.lostConnections.count).toBe(0);
  });

  test('a host that is silent holds up the next one for a moment', async () => {
    proxy.stall();
    const both = proxy.urlOf(url).replace(/(127[^/]*)/, `$1,127.0.0.1:${server.port}`);
    const opened = await open(
      { ...QUICK, connectMs: 60_000, firstConnectMs: 60_000, turnMs: 20 },
      both,
    );
    expect(await opened.append(append(RUN, 0))).toEqual({ outcome: 'appended', seq: 1 });
  });
}

function describeAbsence() {
  test('what waits is refused, all is counted, and the server goes on by itself', async () => {
    const opened = await open(IMPATIENT, url);
    await opened.append(append(RUN, 0));
    await server.stop();
    const refusal = await refusalOf(opened.append(append(RUN, 1)));
    expect(refusal.message).toContain('not available');
    expect(refusal.retryAfterSeconds).not.toBeNull();
    expect(opened.database.awayMs()).toBeGreaterThan(0);
    // Until it is gone, it says that it shuts down.
    await eventually('its sign', async () =>
      (await opened.database.look())?.includes('whether PostgreSQL runs there'),
    );
    await server.start();
    await eventually('the database', async () => opened.database.awayMs() === 0);
    expect(await opened.append(append(RUN, 1))).toEqual({ outcome: 'appended', seq: 2 });
    expect(meters.database.away.seconds).toBeGreaterThan(0);
    expect(meters.database.lostConnections.count).toBe(1);
    expect((await opened.database.figures()).bytes).toBeGreaterThan(1_000_000);
  });

  test('a store without work notices that the database is away, and that it is back', async () => {
    const opened = await open(IMPATIENT, url);
    await server.kill();
    await eventually('the notice', async () => opened.database.awayMs() > 0);
    await server.start();
    await eventually('the other notice', async () => opened.database.awayMs() === 0);
    expect(await opened.append(append(RUN, 0))).toEqual({ outcome: 'appended', seq: 1 });
  });

  test('a store that is closed meanwhile leaves no connection', async () => {
    const opened = await open(IMPATIENT, url);
    await server.stop();
    await eventually('the notice', async () => opened.database.awayMs() > 0);
    await opened.close();
    store = null;
    await server.start();
    const found = await server.query(
      'postgres',
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = '${databaseIn(url)}'`,
    );
    expect(found).toEqual([{ n: 0 }]);
  });
}
