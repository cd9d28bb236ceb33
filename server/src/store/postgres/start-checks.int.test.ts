/** The start with a database: the problems of one that cannot be used, TLS, several hosts and poolers. */
import { execFileSync } from 'node:child_process';
import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { isOrchestratorError } from '@tutti/manifests';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { DatabaseProxy } from '../../../../tests/support/database-proxy.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import { installDebian, need } from '../../../../tests/support/found-tool.ts';
import { freePort } from '../../../../tests/support/free-port.ts';
import { startPooler } from '../../../../tests/support/pooler.ts';
import {
  databaseIn,
  describeWithPostgres,
  installPostgres,
  installPostgres18,
  NOBODY,
  PostgresServer,
  queryAt,
} from '../../../../tests/support/postgres-server.ts';
import { append, workflowId } from '../conformance/samples.ts';
import type { DatabaseStore } from '../database-signs.ts';
import { openPostgresStore } from './postgres-store.ts';

const LIMITS = { partitionDays: 0, ownerWaitMs: 0 };
const opened: DatabaseStore[] = [];

async function open(url: string): Promise<DatabaseStore> {
  const store = await openPostgresStore({ url, limits: LIMITS });
  opened.push(store);
  return store;
}

async function problemOf(url: string): Promise<string> {
  const error: unknown = await open(url).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!isOrchestratorError(error)) throw new Error('It was not refused.', { cause: error });
  return error.message;
}

/** It writes and reads. */
async function expectWorking(url: string): Promise<void> {
  const store = await open(url);
  expect(await store.append(append(workflowId(1), 0))).toEqual({ outcome: 'appended', seq: 1 });
  expect((await store.events(workflowId(1), 1, 10))?.total).toBe(1);
}

describeWithPostgres(await installPostgres18(), 'PostgreSQL 18 without lz4', (programs) => {
  test('takes runs with large texts, and compresses them', async () => {
    const server = await PostgresServer.start(programs);
    const url = await server.createDatabase();
    const methods =
      "SELECT enumvals::text FROM pg_settings WHERE name = 'default_toast_compression'";
    expect(await queryAt(url, methods)).toEqual([{ enumvals: '{pglz}' }]);
    const store = await open(url);
    const large = JSON.stringify('text '.repeat(20_000));
    const documents = [{ collection: 'large', key: 'one', json: large }];
    await store.append(append(workflowId(1), 0, { documents }));
    expect(await store.document('large', 'one')).toBe(large);
    const sizes = await queryAt(
      url,
      'SELECT pg_column_size(json) < 10000 AS "isSmall" FROM documents',
    );
    expect(sizes).toEqual([{ isSmall: true }]);
    await store.close();
    opened.pop();
    await server.remove();
  });
});

describeWithPostgres(installPostgres(), 'the start with a database', (programs) => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await PostgresServer.start(programs);
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });
  afterAll(() => server?.remove());

  test('says what is wrong with its address', async () => {
    const nobody = `postgres://tutti@127.0.0.1:${await freePort()}/tutti`;
    expect(await problemOf(nobody)).toContain('ECONNREFUSED');
    expect(await problemOf(nobody)).toContain('Check the address, and whether PostgreSQL runs');
    // A name with several addresses.
    expect(await problemOf(nobody.replace('127.0.0.1', 'localhost'))).toContain('ECONNREFUSED');
    expect(await problemOf('postgres://tutti@nowhere.invalid/tutti?sslmode=disable')).toContain(
      'Check the address',
    );
    expect(await problemOf(server.urlOf('missing'))).toContain('CREATE DATABASE');
    expect(await problemOf(server.urlOf('postgres', 'stranger'))).toContain('refuses the user');
  });

  test('says which rights it lacks', async () => {
    const url = await server.createDatabase();
    await open(url);
    await opened.pop()?.close();
    await server.query('postgres', 'CREATE USER guest');
    const asGuest = server.urlOf(databaseIn(url), 'guest');
    expect(await problemOf(asGuest)).toContain('GRANT CREATE ON SCHEMA public');
    await queryAt(url, 'GRANT CREATE ON SCHEMA public TO guest');
    expect(await problemOf(asGuest)).toContain('REASSIGN OWNED BY');
    await queryAt(url, `REVOKE CONNECT ON DATABASE ${databaseIn(url)} FROM public`);
    expect(await problemOf(asGuest)).toContain('GRANT CONNECT ON DATABASE');
  });

  test('is refused where a power cut would lose data', async () => {
    const url = await server.createDatabase();
    for (const [setting, advice] of [
      ['fsync=off', 'Set fsync = on.'],
      ['full_page_writes=off', 'Set full_page_writes = on.'],
    ] as const) {
      await server.stop();
      await server.start([setting]);
      expect(await problemOf(url)).toContain(advice);
    }
    await server.stop();
    await server.start();
    await expectWorking(url);
  });

  test.each([
    ['it was checked', 'pg_backend_pid'],
    ['the tables were made', 'events_rest'],
  ])('says that the connection broke while %s', async (_when, text) => {
    const proxy = await DatabaseProxy.open(server.port);
    const url = proxy.urlOf(await server.createDatabase());
    proxy.cutAt(text, false);
    const broken = await problemOf(url);
    expect(broken).toContain('cannot be used (Connection terminated unexpectedly)');
    expect(broken).toContain('whether PostgreSQL runs there');
    await expectWorking(url);
    proxy.close();
  });

  test('is refused on a standby, and finds the host that takes writes among several', async () => {
    const url = await server.createDatabase();
    const standby = await server.createStandby();
    try {
      const other = standby.urlOf(databaseIn(url));
      await eventually('the standby', () => queryAt(other, 'SELECT 1').then(Boolean, () => false));
      expect(await problemOf(other)).toContain('Name the primary');
      const hosts = (...ports: readonly number[]) =>
        url.replace(/127[^/]*/, ports.map((port) => `127.0.0.1:${port}`).join(','));
      const away = await freePort();
      expect(await problemOf(hosts(away, standby.port))).toContain('Promote a standby');
      await expectWorking(hosts(away, standby.port, server.port));
    } finally {
      await standby.remove();
    }
  });

  test('speaks TLS, and only with a certificate that it trusts', async (context) => {
    const openssl = need(installDebian('openssl', 'openssl'), 'TLS with PostgreSQL', context);
    const [certificate, key] = ['server.crt', 'server.key'].map((name) =>
      join(server.folder, name),
    );
    if (certificate === undefined || key === undefined) throw new Error('There is no folder.');
    const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1';
    const kind = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=tutti', '-days', '2'];
    const files = ['-addext', names, '-out', certificate, '-keyout', key];
    execFileSync(openssl, ['req', ...kind, ...files], { stdio: 'pipe' });
    if (process.getuid?.() === 0) chownSync(key, NOBODY, NOBODY);
    const url = await server.createDatabase();
    const secure = `${url}?sslmode=verify-full`;
    expect(await problemOf(secure)).toContain('it has no TLS. Turn on ssl');
    await server.stop();
    await server.start(['ssl=on', `ssl_cert_file=${certificate}`, `ssl_key_file=${key}`]);
    expect(await problemOf(secure)).toContain('NODE_EXTRA_CA_CERTS');
    // A process reads the variable when it starts.
    const program = `import { openPostgresStore } from ${JSON.stringify(new URL('./postgres-store.ts', import.meta.url).href)};
      const store = await openPostgresStore({ url: ${JSON.stringify(secure)}, limits: { partitionDays: 0 } });
      process.stdout.write(String(await store.database.look()));
      await store.close();`;
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: certificate };
    const options = ['--input-type=module', '--eval', program];
    expect(execFileSync(process.execPath, options, { env, encoding: 'utf8' })).toBe('null');
    await server.stop();
    await server.start();
  });

  test('works through a pooler that gives it sessions, and refuses one that shares them', async (context) => {
    const program = need(installDebian('pgbouncer', 'pgbouncer'), 'a pooler', context);
    const url = await server.createDatabase();
    const sharing = await startPooler(program, server, 'transaction');
    expect(await problemOf(sharing.urlOf(url))).toContain('set pool_mode = session');
    // The next user of the session finds it as it was.
    const shown = await queryAt(sharing.urlOf(url), 'SHOW enable_seqscan');
    expect(shown).toEqual([{ enable_seqscan: 'on' }]);
    await sharing.stop();
    const pooler = await startPooler(program, server, 'session');
    await expectWorking(pooler.urlOf(url));
    await opened.pop()?.close();
    await pooler.stop();
  });
});
