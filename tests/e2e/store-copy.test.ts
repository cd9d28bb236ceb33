/** The runs of a server move from its data directory into a database, and nobody notices but by the address. */
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { itemsOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { openInbox } from '../support/inbox.ts';
import { observeRun } from '../support/observed-run.ts';
import {
  databaseIn,
  describeWithPostgres,
  installPostgres,
  PostgresServer,
} from '../support/postgres-server.ts';
import { ended, oneJob, sh, start, statusOf, workersEnded } from '../support/runs.ts';
import { describeWithS3, installS3Server, S3_ENVIRONMENT, S3Server } from '../support/s3-server.ts';
import { SAMPLE } from '../support/sample-run.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { runCli, startCli } from './cli-process.ts';

const s3Program = await installS3Server();

let bench: Workbench;
let postgres: PostgresServer;

describeWithPostgres(installPostgres(), 'a store that is copied', (programs) => {
  beforeAll(async () => {
    postgres = await PostgresServer.start(programs);
  });
  afterAll(() => postgres?.remove());
  beforeEach(async () => {
    bench = await Workbench.open();
  });
  afterEach(() => bench.close());
  describeMove();
  describeInterruption();
  describeRefusals();
  describeWithS3(s3Program, 'with its files', describeFiles);
});

const copy = (dataDir: string, to: string, ...more: readonly string[]) =>
  runCli(['store', 'copy', '--from', dataDir, '--to', to, ...more], {
    cwd: bench.folder,
    env: S3_ENVIRONMENT,
  });

/** Messages leave names of users out of addresses. */
const shown = (url: string) => url.replace('tutti@', '');

const text = { file: 'x'.repeat(1_000_000) };

async function fill(server: ServerChild): Promise<void> {
  for (let count = 0; count < 24; count += 1)
    await start(server, { ...oneJob('large', [sh('true')]), variables: text });
}

/** Everything of runs is there afterwards, a run that waited goes on, and so do agents, tokens and deliveries. */
async function moves(blobs: string | null): Promise<void> {
  const to = await postgres.createDatabase();
  const inbox = await openInbox();
  onTestFinished(() => inbox.close());
  const port = await freePort();
  const server = await bench.server({ port });
  await bench.agent(server, { tags: ['linux', 'shell'], name: 'one' });
  const done: string[] = [];
  for (let count = 0; count < 2; count += 1) done.push(await start(server, SAMPLE));
  const long = oneJob('long', [sh('for n in $(seq 30000); do echo "line $n"; done')]);
  done.push(await start(server, long));
  for (const id of done) {
    await ended(server, id);
    await workersEnded(server, id);
  }
  const waiting = await start(server, oneJob('later', [sh('echo late')], { 'runs-on': 'later' }));
  const subscription = {
    apiVersion: 'opentestfactory.org/v1',
    kind: 'Subscription',
    metadata: { name: 'watcher' },
    spec: { selector: { matchKind: 'Workflow' }, subscriber: { endpoint: inbox.endpoint } },
  };
  expect((await server.call('POST', '/subscriptions', { body: subscription })).code).toBe(201);
  const observed = new Map<string, unknown>();
  for (const id of done) observed.set(id, await observeRun(server, id));
  const listed = itemsOf(await server.call('GET', '/workflows'));
  const { dataDir } = server;
  await server.child.kill('SIGTERM');

  const copied = await copy(dataDir, to, ...(blobs === null ? [] : ['--blobs', blobs]));
  expect([copied.code, copied.stderr]).toEqual([0, '']);
  expect(copied.stdout).toContain(`Moved: 4 runs of ${dataDir}, to ${to}`);
  expect(copied.stdout).toContain('Copied and compared: 4 runs\n');
  expect(existsSync(join(dataDir, 'store', 'tutti.db'))).toBe(false);
  expect(existsSync(join(dataDir, 'blobs'))).toBe(blobs === null);

  const config = { store: to, ...(blobs === null ? {} : { blobs }) };
  const again = await bench.server({ port, dataDir, config, environment: S3_ENVIRONMENT });
  for (const [id, before] of observed) expect(await observeRun(again, id)).toEqual(before);
  expect(itemsOf(await again.call('GET', '/workflows'))).toEqual(listed);
  expect(await statusOf(again, waiting)).toBe('PENDING');
  await bench.agent(again, { tags: ['linux', 'later'], name: 'later' });
  expect(await ended(again, waiting)).toBe('DONE');
  const next = await start(again, SAMPLE);
  expect(await ended(again, next)).toBe('DONE');
  await eventually('the delivery', () =>
    inbox.deliveries.some(({ event }) => JSON.stringify(event).includes(next)),
  );
}

function describeMove() {
  test('is whole in the database, and the server goes on there', () => moves(null));
}

function describeFiles(program: string) {
  test('is whole in the database and a bucket', async () => {
    const s3 = await S3Server.start(program);
    onTestFinished(() => s3.remove());
    await s3.createBucket('files');
    await moves(s3.urlOf('files/team'));
  });
}

function describeInterruption() {
  test('is complete after a second call when the first one was killed', async () => {
    const server = await bench.server();
    await fill(server);
    const { dataDir } = server;
    await server.child.kill('SIGTERM');
    const to = await postgres.createDatabase();
    const first = startCli(['store', 'copy', '--from', dataDir, '--to', to], { cwd: bench.folder });
    await eventually('the first rows', () => first.stdout().includes('runs\n'));
    first.kill('SIGKILL');
    await first.ended;
    expect(await postgres.query(databaseIn(to), 'SELECT workflow_id FROM runs')).toEqual([]);
    const second = await copy(dataDir, to);
    expect([second.code, second.stderr]).toEqual([0, '']);
    expect(second.stdout).toContain('Moved: 24 runs');

    // As if it had been killed behind the copy, before the directory changed.
    const store = join(dataDir, 'store');
    const [aside = ''] = readdirSync(store).filter((name) => name.includes('.moved-'));
    renameSync(join(store, aside), join(store, 'tutti.db'));
    rmSync(join(dataDir, 'store.json'));
    const third = await copy(dataDir, to);
    expect(third.stdout).toContain(`${to} had the 24 runs of ${dataDir} already.`);
    const again = await bench.server({ dataDir, config: { store: to } });
    expect(itemsOf(await again.call('GET', '/workflows'))).toHaveLength(24);
  });
}

function describeRefusals() {
  test('stays where it is when the copy cannot be made, and the message says what to do', async () => {
    const to = await postgres.createDatabase();
    const server = await bench.server();
    const { dataDir } = server;
    await start(server, oneJob('first', [sh('true')]));
    const running = await copy(dataDir, to);
    expect(running.code).toBe(2);
    expect(running.stderr).toBe(
      `tutti: A server uses ${dataDir}.\nWhat to do: stop that server first, then repeat the copy.\n`,
    );
    await server.child.kill('SIGTERM');
    expect((await copy(bench.path('none'), to)).stderr).toContain('There is no data of a server');
    expect((await copy(dataDir, postgres.urlOf('missing'))).stderr).toContain('CREATE DATABASE');

    const other = await bench.server({ config: { store: to } });
    expect((await copy(dataDir, to)).stderr).toContain('or was killed while it did.');
    await start(other, oneJob('other', [sh('true')]));
    await other.child.kill('SIGTERM');
    const full = await copy(dataDir, to);
    expect(full.stderr).toBe(
      `tutti: The database ${shown(to)} has data already, which is not that of this data directory.\n` +
        'What to do: name an empty database: CREATE DATABASE name OWNER user.\n',
    );
    const again = await bench.server({ dataDir });
    expect(itemsOf(await again.call('GET', '/workflows'))).toHaveLength(1);
    await again.child.kill('SIGTERM');
    const empty = await postgres.createDatabase();
    expect((await copy(dataDir, empty)).code).toBe(0);
    expect((await copy(dataDir, empty)).stderr).toContain(
      `The runs of ${dataDir} are in ${shown(empty)}`,
    );
  });
}
