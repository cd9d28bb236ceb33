/** A server with its runs in PostgreSQL. Both are killed while runs go on. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { detailsOf, itemsOf } from '../support/api.ts';
import { DatabaseProxy } from '../support/database-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { scrape } from '../support/exposition.ts';
import { freePort } from '../support/free-port.ts';
import { openInbox } from '../support/inbox.ts';
import {
  databaseIn,
  describeWithPostgres,
  installPostgres,
  PostgresServer,
} from '../support/postgres-server.ts';
import { allEvents, ended, logOf, oneJob, only, sh, start } from '../support/runs.ts';
import { subscribed } from '../support/subscriptions.ts';
import { type ServerChild, type ServerOptions, Workbench } from '../support/workbench.ts';
import { runCli } from './cli-process.ts';

const RUNS = 6;
const STEPS = 8;
/** Long enough to kill a server, and short enough to wait for. */
const MINUTES = 0.05;
/** Longer than all else that a start does. */
const LONG_READ_MS = 1_000;

let bench: Workbench;
let postgres: PostgresServer;
let url: string;

describeWithPostgres(installPostgres(), 'a server with a database', (programs) => {
  beforeAll(async () => {
    bench = await Workbench.open();
    postgres = await PostgresServer.start(programs);
    url = await postgres.createDatabase();
  });
  afterAll(async () => {
    await bench?.close();
    await postgres?.remove();
  });
  describeFaults();
  describeStart();
  describeSilence();
  describeRefusals();
});

/** Each step leaves a line in a file of the run, so that a step that ran twice is seen. */
function markedRun(name: string, file: string) {
  const steps = Array.from({ length: STEPS }, (_, step) =>
    sh(`echo ${step} >> ${file}; echo "output of ${step}"`),
  );
  return oneJob(name, steps);
}

const STEPS_IN_ORDER = Array.from({ length: STEPS }, (_, step) => String(step));

async function startMarked(server: ServerChild, round: string) {
  const runs: { readonly id: string; readonly file: string }[] = [];
  for (let number = 0; number < RUNS; number += 1) {
    const file = bench.path(round);
    runs.push({ id: await start(server, markedRun(`${round} ${number}`, file)), file });
  }
  return runs;
}

/** All steps of all runs ran once, in their order, and are in the log. */
async function expectWhole(server: ServerChild, runs: Awaited<ReturnType<typeof startMarked>>) {
  for (const { id, file } of runs) {
    expect(await ended(server, id, { withinMs: 50_000 })).toBe('DONE');
    expect(readFileSync(file, 'utf8').trim().split('\n')).toEqual(STEPS_IN_ORDER);
    const results = only(await allEvents(server, id), 'ExecutionResult');
    expect(results.filter(({ status }) => status === 0).length).toBeGreaterThanOrEqual(STEPS);
    const log = await logOf(server, id);
    for (const step of STEPS_IN_ORDER) expect(log).toContain(`output of ${step}`);
  }
  const damaged = await postgres.query(
    databaseIn(url),
    `SELECT workflow_id FROM runs r WHERE events <> (SELECT count(*) FROM events e WHERE e.workflow_id = r.workflow_id)`,
  );
  expect(damaged).toEqual([]);
}

function describeFaults() {
  test('keeps its runs there, and goes on after kill -9 of each of them', async () => {
    const port = await freePort();
    const options: ServerOptions = { config: { store: url }, port };
    let server = await bench.server(options);
    for (const name of ['one', 'two']) await bench.agent(server, { tags: ['linux'], name });

    const first = await startMarked(server, 'server');
    await server.child.kill('SIGKILL');
    server = await bench.server({ ...options, dataDir: server.dataDir });
    await expectWhole(server, first);
    expect(existsSync(join(server.dataDir, 'store', 'tutti.db'))).toBe(false);

    const second = await startMarked(server, 'database');
    await postgres.kill();
    await postgres.start();
    await expectWhole(server, second);

    const third = await startMarked(server, 'restart');
    await postgres.stop();
    await postgres.start();
    await expectWhole(server, third);
    await expectWhole(server, first);
  }, 180_000);

  test('is ready again after its database was away for long', async () => {
    const server = await bench.server({ config: { store: await postgres.createDatabase() } });
    await postgres.kill();
    const refused = await server.call('POST', '/workflows', {
      body: oneJob('refused', [sh('true')]),
    });
    expect(refused.code).toBe(503);
    expect(refused.headers.get('retry-after')).not.toBeNull();
    expect((await server.call('GET', '/health', { query: 'ready' })).code).toBe(503);
    await postgres.start();
    const isReady = async () =>
      (await server.call('GET', '/health', { query: 'ready' })).code === 200;
    await eventually('the database', isReady);
    const id = await start(server, oneJob('later', [sh('true')]));
    await bench.agent(server, { tags: ['linux'], name: 'later' });
    expect(await ended(server, id)).toBe('DONE');
  }, 120_000);
}

function describeStart() {
  test('publishes what it does at once when it starts, such as the end of a run that is late', async () => {
    const inbox = await openInbox();
    onTestFinished(() => inbox.close());
    const proxy = await DatabaseProxy.open(postgres.port);
    onTestFinished(() => proxy.close());
    const store = proxy.urlOf(await postgres.createDatabase());
    const server = await bench.server({ config: { store } });
    await subscribed(server, inbox.endpoint, { kind: 'WorkflowCanceled' });
    const late = { 'runs-on': 'nowhere', 'timeout-minutes': MINUTES };
    const id = await start(server, oneJob('late', [sh('true')], late));
    const overMs = performance.now() + MINUTES * 60_000;
    await server.child.kill('SIGKILL');
    await eventually('the end of its time', () => performance.now() > overMs);
    const { dataDir } = server;
    proxy.delayAt('subscriptions', LONG_READ_MS);
    const again = await bench.server({ dataDir, config: { store } });
    expect(await ended(again, id)).toBe('FAILED');
    const arrived = () => inbox.deliveries.length > 0;
    await eventually('its end in the inbox', arrived);
    expect(inbox.deliveries[0]?.event.metadata).toMatchObject({ workflow_id: id });
  }, 60_000);
}

function describeSilence() {
  test('answers in time while its database is silent, loses nothing, and goes on', async () => {
    const proxy = await DatabaseProxy.open(postgres.port);
    const store = proxy.urlOf(await postgres.createDatabase());
    const server = await bench.server({ config: { store } });
    const first = await start(server, oneJob('first', [sh('true')]));
    proxy.stall();
    const [doubtful, read] = await Promise.all([
      server.call('POST', '/workflows', { body: oneJob('doubtful', [sh('true')]) }),
      server.call('GET', `/workflows/${first}/status`),
    ]);
    expect([doubtful.code, detailsOf(doubtful)]).toEqual([503, { outcome: 'unknown' }]);
    expect([read.code, read.headers.get('retry-after')]).toEqual([503, '1']);
    const health = await server.call('GET', '/health', { query: 'ready' });
    expect(health.code).toBe(503);
    expect(detailsOf(health).failing).toMatchObject([{ check: 'writes' }, { check: 'database' }]);
    const away = await scrape(server);
    expect(away.value('tutti_database_available')).toBe(0);
    expect(away.value('tutti_database_unknown_outcomes_total')).toBe(1);

    proxy.resume();
    await eventually(
      'the database',
      async () => (await scrape(server)).value('tutti_database_available') === 1,
    );
    const back = await scrape(server);
    expect(back.value('tutti_database_away_seconds_total')).toBeGreaterThan(1);
    expect(back.value('tutti_database_bytes')).toBeGreaterThan(1_000_000);
    await bench.agent(server, { tags: ['linux'], name: 'later' });
    const idsNow = async () => itemsOf(await server.call('GET', '/workflows')).map(String);
    // The one in doubt is stored, once, whatever its sender was told.
    await eventually('the run in doubt', async () => (await idsNow()).length > 1);
    const ids = await idsNow();
    expect(ids).toHaveLength(2);
    for (const id of ids) expect(await ended(server, id)).toBe('DONE');
    proxy.close();
  }, 120_000);
}

function describeRefusals() {
  async function refusalOf(config: object, more: ServerOptions = {}) {
    const { child } = bench.launchServer({ ...more, config: { ...config } });
    await child.whenGone;
    return child.stderr;
  }

  test('does not start with a password in the address, and does not show it', async () => {
    const store = 'postgres://tutti:top-secret@127.0.0.1/tutti';
    const said = await refusalOf({ store });
    expect(said).toContain('an address may not have a password');
    expect(said).not.toContain('top-secret');
  });

  test('does not start without its database, or with one that another server uses', async () => {
    expect(await refusalOf({ store: postgres.urlOf('missing') })).toContain('CREATE DATABASE');
    const taken = await postgres.createDatabase();
    await bench.server({ config: { store: taken } });
    expect(await refusalOf({ store: taken })).toContain('Another server uses the database');
  });

  test('says where the runs of its data directory are', async () => {
    const store = await postgres.createDatabase();
    const { child, dataDir } = await bench.server({ config: { store } });
    await child.kill('SIGTERM');
    // Also where the suite gives each server a database.
    const environment = { TUTTI_TEST_STORE: '' };
    expect(await refusalOf({}, { dataDir, environment })).toContain(`--store '${store}'`);
    const cli = (...args: readonly string[]) =>
      runCli([...args, '--data-dir', dataDir], { cwd: bench.folder });
    expect((await cli('backup')).stderr).toContain('pg_dump');
    const doctor = await cli('doctor');
    expect(doctor.stdout).toContain(`ok      runs are in ${store}`);
    await postgres.stop();
    expect((await cli('doctor')).stdout).toContain('WRONG   The database');
    await postgres.start();
  });
}
