import { isOrchestratorError } from '@tutti/manifests';
import { Client } from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DatabaseProxy } from '../../../../tests/support/database-proxy.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import {
  databaseIn,
  describeWithPostgres,
  installPostgres,
  PostgresServer,
  queryAt,
} from '../../../../tests/support/postgres-server.ts';
import {
  append,
  eventJson,
  outboxEntry,
  subscriptionId,
  testCase,
  workflowId,
  workflowRow,
} from '../conformance/samples.ts';
import type { DatabaseStore } from '../database-signs.ts';
import { describeStore } from '../store-conformance.ts';
import {
  emptyDatabase,
  giveBack,
  postgresServer,
  removePostgres,
  storeTarget,
} from './conformance-target.ts';
import { unpackExecutions } from './execution-parts.ts';
import { MIGRATIONS } from './migrations.ts';
import { firstIdOf } from './partitions.ts';
import { openPostgresStore, type PostgresStoreOptions } from './postgres-store.ts';

const RUN = workflowId(1);
const DAY_MS = 24 * 60 * 60_000;

let url = '';
const opened: DatabaseStore[] = [];

async function open(more: Partial<PostgresStoreOptions> = {}): Promise<DatabaseStore> {
  const limits = { partitionDays: 0, ...more.limits };
  const store = await openPostgresStore({ url, ...more, limits });
  opened.push(store);
  return store;
}

describeWithPostgres(installPostgres(), 'with PostgreSQL', (programs) => {
  afterAll(removePostgres);

  describeStore('PostgreSQL store', storeTarget);

  describe('the PostgreSQL store', () => {
    let place: string;
    beforeEach(async () => {
      place = await emptyDatabase();
      url = place;
    });
    afterEach(async () => {
      for (const store of opened.splice(0)) await store.close();
      await giveBack(place);
    });
    describeFence();
    describeUpgrade();
    describeDoubt();
    describeReplication(programs);
    describeTexts();
    describePartitions();
    describeDays();
    describeChecks();
  });
});

async function refusalOf(work: Promise<unknown>) {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!isOrchestratorError(error)) throw new Error('It was not refused.', { cause: error });
  return error;
}

function describeFence() {
  test('is refused while another server has the database', async () => {
    await open();
    const second = await refusalOf(open({ limits: { ownerWaitMs: 0 } }));
    expect(second.message).toContain('Another server uses the database');
  });

  test('writes nothing more once another server has taken the database', async () => {
    const failures: Error[] = [];
    const store = await open({ onFailure: (error) => failures.push(error) });
    await store.append(append(RUN, 0));
    await queryAt(url, 'UPDATE writers SET alive = false');
    const refusal = await refusalOf(store.append(append(RUN, 1)));
    expect(refusal).toMatchObject({
      reason: 'ServiceUnavailable',
      message: expect.stringContaining('Another server has taken the database.'),
    });
    expect(failures).toHaveLength(1);
    expect((await store.events(RUN, 1, 10))?.total).toBe(1);
    expect((await store.database.figures()).lostWriters).toEqual({ taken: 1, 'went-back': 0 });
  });

  test('says so too where the other server has removed its writer', async () => {
    const store = await open();
    await store.append(append(RUN, 0));
    await queryAt(url, 'DELETE FROM writers; INSERT INTO writers DEFAULT VALUES');
    await expect(store.append(append(RUN, 1))).rejects.toThrow('Another server has taken');
  });

  test('notices a database that has lost confirmed batches', async () => {
    const store = await open();
    await store.append(append(RUN, 0));
    await store.append(append(RUN, 1));
    await queryAt(url, 'UPDATE writers SET batch = batch - 1');
    await expect(store.append(append(RUN, 2))).rejects.toThrow('has lost batches');
    expect((await store.database.figures()).lostWriters).toEqual({ taken: 0, 'went-back': 1 });
  });
}

/** The number of the step that packs executions, from zero. */
const BEFORE_PARTS = 6;

function describeUpgrade() {
  test('packs the executions of a database of before', async () => {
    const rows = [
      { variant: 5, attempt: 1, outcome: 1, place: 300, startedMs: -3, durationUs: 128 },
      { variant: 5, attempt: 2, outcome: 0, place: 0, startedMs: 0, durationUs: 0 },
      {
        variant: 31,
        attempt: 1,
        outcome: 4,
        place: 1,
        startedMs: 9_000_000,
        durationUs: 70_000_000_000,
      },
      { variant: 64, attempt: 1, outcome: 0, place: 2, startedMs: 127, durationUs: 16_384 },
    ];
    const values = rows.map((row) => `(7, ${Object.values(row).join(', ')})`).join(', ');
    await queryAt(
      url,
      `CREATE TABLE schema_version (version int NOT NULL);
       INSERT INTO schema_version VALUES (${BEFORE_PARTS});
       ${MIGRATIONS.slice(0, BEFORE_PARTS).join(';')};
       INSERT INTO executions (run, variant, attempt, outcome, place, started_ms, duration_us) VALUES ${values}`,
    );
    await open();
    const parts = await queryAt(
      url,
      'SELECT part, bytes FROM execution_parts WHERE run = 7 ORDER BY part',
    );
    const kept = parts.flatMap(({ part, bytes }) =>
      unpackExecutions(Number(part), bytes as Uint8Array),
    );
    expect(kept).toEqual(rows);
    expect(await queryAt(url, 'SELECT 1 FROM executions')).toEqual([]);
  });
}

function describeDoubt() {
  for (const passes of [true, false]) {
    test(`stores a batch once whose ${passes ? 'answer' : 'statement'} was lost`, async () => {
      const proxy = await DatabaseProxy.open((await postgresServer()).port);
      const direct = url;
      url = proxy.urlOf(direct);
      const store = await open();
      await store.append(append(RUN, 0, { projection: { logText: 'one\n' } }));
      const positions: number[] = [];
      store.watchOutbox({
        added: ({ position }) => positions.push(position),
        removed: () => undefined,
      });
      proxy.cutAt('to be cut', passes);
      const documents = [{ collection: 'agents', key: 'to be cut', json: '1' }];
      const more = { documents, outbox: [outboxEntry(1, 1)], projection: { logText: 'two\n' } };
      expect(await store.append(append(RUN, 1, more))).toEqual({ outcome: 'appended', seq: 2 });
      expect(proxy.cuts).toBe(1);
      expect((await store.events(RUN, 1, 10))?.items).toEqual([eventJson(1), eventJson(2)]);
      expect((await store.log(RUN, 0, 100))?.total).toBe(8);
      const entries = await store.outbox(subscriptionId(1), 10);
      expect(entries.map(({ position }) => position)).toEqual(positions);
      expect(entries).toHaveLength(1);
      const tested = { projection: { testCases: [testCase('to be cut')] } };
      proxy.cutAt('COMMIT', passes);
      await store.append(append(RUN, 2, tested));
      expect((await store.testCases(RUN, 0, 10)).items).toHaveLength(1);
      expect(await store.testCaseSummary(RUN)).toMatchObject([{ count: 1 }]);
      expect(proxy.cuts).toBe(2);
      await store.close();
      proxy.close();
      await storeTarget.check(direct);
    });
  }

  test('confirms nothing after a takeover, not even what was stored', async () => {
    const proxy = await DatabaseProxy.open((await postgresServer()).port);
    const direct = url;
    url = proxy.urlOf(direct);
    const store = await open();
    await store.append(append(RUN, 0));
    // The takeover comes right behind the batch.
    await queryAt(
      direct,
      `CREATE FUNCTION end_writers() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN UPDATE writers SET alive = false; RETURN NULL; END $$;
       CREATE TRIGGER takeover AFTER INSERT ON documents EXECUTE FUNCTION end_writers()`,
    );
    proxy.cutAt('to be cut', true);
    const documents = [{ collection: 'agents', key: 'to be cut', json: '1' }];
    const stored = store.append(append(RUN, 1, { documents }));
    await expect(stored).rejects.toThrow('Another server has taken');
    expect((await store.events(RUN, 1, 10))?.total).toBe(2);
    await store.close();
    proxy.close();
  });

  test('reads on a new connection when the database has ended its connections', async () => {
    const store = await open();
    await store.append(append(RUN, 0));
    await queryAt(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${databaseIn(url)}' AND pid <> pg_backend_pid()`,
    );
    expect((await store.events(RUN, 1, 10))?.total).toBe(1);
    expect(await store.append(append(RUN, 1))).toEqual({ outcome: 'appended', seq: 2 });
  });
}

function describeReplication(programs: string) {
  test('confirms a batch in doubt once a synchronous standby has it', async () => {
    const server = await PostgresServer.start(programs);
    url = await server.createDatabase();
    const store = await open();
    await store.append(append(RUN, 0));
    const waiting = async () =>
      await server.query(
        'postgres',
        `SELECT pid FROM pg_stat_activity WHERE datname = '${databaseIn(url)}' AND wait_event = 'SyncRep'`,
      );
    // The standby is away.
    await server.query('postgres', `ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await server.query('postgres', 'SELECT pg_reload_conf()');
    let outcome: unknown = 'not confirmed';
    const stored = store.append(append(RUN, 1)).then((each) => {
      outcome = each;
    });
    const [first] = await eventually('a commit that waits', async () => {
      const found = await waiting();
      return found.length === 0 ? null : found;
    });
    await server.query('postgres', `SELECT pg_terminate_backend(${first?.pid})`);
    await eventually('the batch again', async () => {
      const isAgain = (await waiting()).some(({ pid }) => pid !== first?.pid);
      return isAgain || outcome !== 'not confirmed';
    });
    expect(outcome).toBe('not confirmed');
    await server.query('postgres', 'ALTER SYSTEM RESET synchronous_standby_names');
    await server.query('postgres', 'SELECT pg_reload_conf()');
    await stored;
    expect(outcome).toEqual({ outcome: 'appended', seq: 2 });
    expect((await store.events(RUN, 1, 10))?.total).toBe(2);
    await store.close();
    await server.remove();
  });
}

function describeTexts() {
  const odd = 'a\0b\u0001c\u0001\u0002d\ud800e';
  const kept = odd.toWellFormed();

  test('keeps texts that the database refuses', async () => {
    const store = await open();
    const workflow = workflowRow(RUN, { name: odd, workers: [odd] });
    const documents = ['a\0', 'a', 'a\u0001', 'a\u0002', 'b', 'A', 'ä', '_'].map((key) => ({
      collection: odd,
      key,
      json: JSON.stringify(odd),
    }));
    await store.append(append(RUN, 0, { documents, projection: { workflow, logText: odd } }));
    expect(await store.workflow(RUN)).toMatchObject({ name: kept, workers: [odd] });
    const keys = documents.map(({ key }) => key).toSorted();
    expect((await store.documents(odd)).map(({ key }) => key)).toEqual(keys);
    expect(await store.document(odd, 'a\0')).toBe(JSON.stringify(odd));
    const log = await store.log(RUN, 0, 100);
    expect(Buffer.from(log?.bytes ?? []).toString()).toBe(kept);
  });
}

function describePartitions() {
  const idOn = (day: number) => {
    const begin = firstIdOf(day * DAY_MS + 1);
    return `${begin.slice(0, 14)}7000-8000-000000000001` as typeof RUN;
  };

  test('has a partition for each of the coming days, and one for other ids', async () => {
    let now = 20_000 * DAY_MS;
    const store = await open({ now: () => now, limits: { partitionDays: 2 } });
    const tableOf = async (id: string) => {
      const found = await queryAt(
        url,
        `SELECT tableoid::regclass::text AS name FROM events WHERE workflow_id = '${id}'`,
      );
      return found[0]?.name;
    };
    for (const day of [20_000, 20_001, 20_009]) await store.append(append(idOn(day), 0));
    expect(await tableOf(idOn(20_000))).toBe('events_20241004');
    expect(await tableOf(idOn(20_001))).toBe('events_20241005');
    expect(await tableOf(idOn(20_009))).toBe('events_rest');
    now += 9 * DAY_MS;
    await store.close();
    // Its day has rows already, and stays without a partition.
    const again = await open({ now: () => now, limits: { partitionDays: 2 } });
    await again.append(append(idOn(20_010), 0));
    expect(await tableOf(idOn(20_010))).toBe('events_20241014');
    expect((await again.events(idOn(20_009), 1, 10))?.total).toBe(1);
  });
}

function describeDays() {
  const DAY = 20_000;
  const idOn = (day: number, number: number) =>
    `${firstIdOf(day * DAY_MS + number).slice(0, 14)}7000-8000-000000000001` as typeof RUN;
  const tablesOf = async (day: string) => {
    const found = await queryAt(
      url,
      `SELECT relname AS name FROM pg_class WHERE relname LIKE '%\\_${day}' AND relkind = 'r' ORDER BY 1`,
    );
    return found.map(({ name }) => String(name).replace(`_${day}`, ''));
  };
  const ALL = ['events', 'jobs', 'log_parts', 'test_case_history', 'test_cases', 'test_executions'];

  test('drops the tables of a day with its last run, and those of executions with the last of these', async () => {
    let now = DAY * DAY_MS;
    const store = await open({ now: () => now, limits: { partitionDays: 2 } });
    const [first, second, next] = [idOn(DAY, 1), idOn(DAY, 2), idOn(DAY + 1, 1)];
    const tested = { projection: { testCases: [testCase('a')] } };
    for (const id of [first, second, next]) await store.append(append(id, 0, tested));
    await store.forget([first]);
    expect(await tablesOf('20241004')).toEqual(ALL);
    await store.forget([second]);
    // The day is not over yet.
    expect(await tablesOf('20241004')).toEqual(ALL);
    now += DAY_MS;
    await store.forget([workflowId(9)]);
    expect(await tablesOf('20241004')).toEqual(['test_executions']);
    await store.forgetExecutions('9' as Parameters<typeof store.forgetExecutions>[0]);
    expect(await tablesOf('20241004')).toEqual([]);
    expect(await tablesOf('20241005')).toEqual(ALL);
    expect((await store.testCases(next, 0, 10)).total).toBe(1);
    // A run with an id of that day has its place among all other ids.
    await store.append(append(second, 0, tested));
    expect((await store.testCases(second, 0, 10)).total).toBe(1);
  });

  test('waits for no long reader, as a dump is, and drops and makes tables the next time', async () => {
    let now = DAY * DAY_MS;
    const store = await open({ now: () => now, limits: { partitionDays: 1 } });
    await store.append(append(idOn(DAY, 1), 0));
    now += DAY_MS;
    const reader = new Client({ connectionString: url });
    await reader.connect();
    await reader.query('BEGIN; SELECT count(*) FROM events');
    await store.forget([idOn(DAY, 1)]);
    expect(await tablesOf('20241004')).toEqual(['events']);
    await store.append(append(idOn(DAY + 2, 1), 0));
    expect((await store.events(idOn(DAY + 2, 1), 1, 1))?.total).toBe(1);
    expect(await tablesOf('20241005')).not.toContain('events');
    await reader.end();
    now += 60_000;
    await store.forget([workflowId(9)]);
    expect(await tablesOf('20241004')).toEqual([]);
    await eventually('the table of today', async () =>
      (await tablesOf('20241005')).includes('events'),
    );
  });
}

function describeChecks() {
  test.each([
    ['SET synchronous_commit = off', 'Set synchronous_commit = on'],
    ["SET search_path = 'none'", 'may not create tables'],
  ])('is refused after %s', async (setting, advice) => {
    await queryAt(url, `ALTER DATABASE ${databaseIn(url)} ${setting}`);
    expect((await refusalOf(open())).message).toContain(advice);
  });

  test('is refused where the database has the tables of another application', async () => {
    await queryAt(url, 'CREATE TABLE invoices (id int)');
    expect((await refusalOf(open())).message).toContain('tables of another application');
  });

  test('is refused where a newer version has changed the schema', async () => {
    await (await open()).close();
    await queryAt(url, 'UPDATE schema_version SET version = 99');
    // Steps only add.
    await (await open()).close();
    await queryAt(url, 'UPDATE schema_version SET needs = 99');
    expect((await refusalOf(open())).message).toContain('schema 99, of a newer version');
  });

  test('is refused with another encoding', async () => {
    const server = await postgresServer();
    url = await server.createDatabase("ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0");
    expect((await refusalOf(open())).message).toContain("ENCODING 'UTF8'");
  });
}
