import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';
import {
  describeWithPostgres,
  installPostgres,
  queryAt,
} from '../../../tests/support/postgres-server.ts';
import { append, workflowId } from '../store/conformance/samples.ts';
import { removePostgres, storeTarget } from '../store/postgres/conformance-target.ts';
import { openReplicaStore, type ReplicaStore } from '../store/postgres/postgres-store.ts';
import { ReplicaTable } from './replica-table.ts';

const RUN = workflowId(1);

let url = '';
const ends: (() => Promise<unknown>)[] = [];

interface Replica {
  readonly id: string;
  readonly table: ReplicaTable;
  readonly store: ReplicaStore;
  readonly writer: number;
  readonly failures: readonly Error[];
}

async function join(): Promise<Replica> {
  const failures: Error[] = [];
  const store = await openReplicaStore({
    ...{ url, limits: { partitionDays: 0 }, onFailure: (error) => failures.push(error) },
  });
  const id = randomUUID();
  const me = { replica: id, address: '127.0.0.1:1', version: '1', configuration: '' };
  const table = new ReplicaTable(url, me);
  ends.push(
    () => store.close(),
    () => table.close(),
  );
  return { id, table, store, writer: await table.join(), failures };
}

/** The first replica owns the runs, and has written one event. */
async function joinTwo(): Promise<readonly [Replica, Replica]> {
  const first = await join();
  await first.table.takeOver(null);
  first.store.beginWriting(first.writer);
  await first.store.append(append(RUN, 0));
  return [first, await join()];
}

const ownerAt = async ({ table }: Replica) => (await table.beat()).owner;

async function seenBy({ table }: Replica, { id }: Replica) {
  const found = (await table.beat()).members.find(({ replica }) => replica === id);
  if (found === undefined) throw new Error('The replica is gone.');
  return found;
}

const eventsOf = async (store: ReplicaStore) => (await store.events(RUN, 1, 10))?.total;

/** A session that holds the row of a writer, as a batch under way does. */
async function holdWriter(writer: number, idleMs: number): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  ends.push(() => client.end().catch(() => undefined));
  await client.query(`SET idle_in_transaction_session_timeout = ${idleMs}`);
  await client.query('BEGIN');
  await client.query('UPDATE writers SET batch = batch WHERE writer = $1', [writer]);
  return client;
}

const isWaiting = () =>
  eventually('a takeover that waits', async () => {
    const found = await queryAt(
      url,
      `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
    );
    return found.length > 0;
  });

describeWithPostgres(installPostgres(), 'rows of replicas', () => {
  afterAll(removePostgres);
  beforeEach(async () => {
    url = await storeTarget.createPlace();
  });
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  test('a replica that owns nothing writes nothing', async () => {
    const [, second] = await joinTwo();
    await expect(second.store.append(append(RUN, 1))).rejects.toThrow('Another replica');
    second.store.beginWriting(second.writer);
    await expect(second.store.append(append(RUN, 1))).rejects.toThrow('Another server has taken');
    expect(await eventsOf(second.store)).toBe(1);
  });

  test('after a takeover, a batch of the dead replica is refused', async () => {
    const [first, second] = await joinTwo();
    await second.table.takeOver(await seenBy(second, first));
    expect(await ownerAt(second)).toBe(second.id);
    await expect(first.store.append(append(RUN, 1))).rejects.toThrow('Another server has taken');
    expect(first.failures).toHaveLength(1);
    expect((await first.table.beat()).isThere).toBe(false);
    second.store.beginWriting(second.writer);
    await second.store.append(append(RUN, 1));
    expect(await eventsOf(second.store)).toBe(2);
  });

  test('a sign of life before the takeover prevents it', async () => {
    const [first, second] = await joinTwo();
    const seen = await seenBy(second, first);
    await first.table.beat();
    await second.table.takeOver(seen);
    expect(await ownerAt(second)).toBe(first.id);
    await first.store.append(append(RUN, 1));
  });

  test('of two observers one takes over', async () => {
    const [first, second] = await joinTwo();
    const third = await join();
    const seen = await seenBy(second, first);
    await Promise.all([second.table.takeOver(seen), third.table.takeOver(seen)]);
    const owner = await ownerAt(second);
    const [winner, other] = owner === second.id ? [second, third] : [third, second];
    expect(owner).toBe(winner.id);
    other.store.beginWriting(other.writer);
    await expect(other.store.append(append(RUN, 1))).rejects.toThrow('Another server has taken');
    winner.store.beginWriting(winner.writer);
    await winner.store.append(append(RUN, 1));
    const alive = await queryAt(url, 'SELECT writer FROM writers WHERE alive');
    expect(alive).toEqual([{ writer: String(winner.writer) }]);
  });

  test('a dead observer takes nothing', async () => {
    const [first, second] = await joinTwo();
    const seen = await seenBy(second, first);
    await first.table.takeOver(await seenBy(first, second));
    await second.table.takeOver(seen);
    expect(await ownerAt(first)).not.toBe(second.id);
    second.store.beginWriting(second.writer);
    await expect(second.store.append(append(RUN, 1))).rejects.toThrow();
  });

  test('a takeover waits for the batch under way', async () => {
    const [first, second] = await joinTwo();
    const batch = await holdWriter(first.writer, 0);
    const taking = second.table.takeOver(await seenBy(second, first));
    await isWaiting();
    expect(await ownerAt(second)).toBe(first.id);
    await batch.query('COMMIT');
    await taking;
    expect(await ownerAt(second)).toBe(second.id);
  });

  test('a replica that stands still within a transaction holds nobody up', async () => {
    const [first, second] = await joinTwo();
    await holdWriter(first.writer, 1_000);
    await second.table.takeOver(await seenBy(second, first));
    expect(await ownerAt(second)).toBe(second.id);
  });

  test('a leaving replica hands over behind its last batch', async () => {
    const [first, second] = await joinTwo();
    await first.table.beginLeaving();
    expect((await seenBy(second, first)).state).toBe('leaving');
    first.store.endWriting();
    await first.table.leave(second.id);
    expect(await ownerAt(second)).toBe(second.id);
    await expect(first.store.append(append(RUN, 1))).rejects.toThrow('Another server has taken');
    expect(first.failures).toEqual([]);
    second.store.beginWriting(second.writer);
    await second.store.append(append(RUN, 1));
  });

  test('nobody is given the runs of the last replica, and the next one takes them', async () => {
    const [first, second] = await joinTwo();
    await second.table.leave(null);
    await first.table.leave(randomUUID());
    const third = await join();
    expect(await ownerAt(third)).toBeNull();
    await third.table.takeOver(null);
    expect(await ownerAt(third)).toBe(third.id);
    third.store.beginWriting(third.writer);
    await third.store.append(append(RUN, 1));
  });

  test('all replicas get the same key, and the level is that of the lowest', async () => {
    const [first, second] = await joinTwo();
    expect(await first.table.secret()).toEqual(await second.table.secret());
    await queryAt(url, 'UPDATE replicas SET level = level + 5');
    await queryAt(url, `UPDATE replicas SET level = level - 1 WHERE replica = '${second.id}'`);
    await second.table.takeOver(await seenBy(second, first));
    await expect(second.table.secret()).rejects.toThrow('Install that version');
  });
});
