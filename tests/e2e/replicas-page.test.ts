/** All commands of docs/operate/replicas.md, one after the other: from nothing to three replicas, an upgrade, a backup and a restore. */
import { symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf } from '../structure/document-blocks.ts';
import { ROOT, readRepositoryFile } from '../structure/source-files.ts';
import { createApi } from '../support/api.ts';
import { freePort } from '../support/free-port.ts';
import { MACHINES, type Machine, Machines } from '../support/machines.ts';
import {
  describeWithPostgres,
  installPostgres,
  PostgresServer,
  queryAt,
} from '../support/postgres-server.ts';
import { attachmentOf, ended, oneJob, sh, start, statusOf } from '../support/runs.ts';
import { ACCESS_KEY, installS3Server, S3Server, SECRET_KEY } from '../support/s3-server.ts';
import { Workbench } from '../support/workbench.ts';

const BLOCKS = blocksOf(readRepositoryFile('docs/operate/replicas.md'), 'sh');
const [CREATE = '', CHECK = '', FIRST = '', SECOND = '', THIRD = '', ...OTHERS] = BLOCKS;
const [LOOK = '', UPGRADE = '', BACKUP = '', RESTORE = ''] = OTHERS;
const LONG_MS = 280_000;

const foundS3 = await installS3Server();

let bench: Workbench;
let postgres: PostgresServer;
let s3: S3Server;
let machines: Machines;

describeWithPostgres(
  'tool' in foundS3 ? installPostgres() : foundS3,
  'the page about replicas',
  (programs) => {
    beforeAll(async () => {
      bench = await Workbench.open();
      postgres = await PostgresServer.start(programs);
      if ('tool' in foundS3) s3 = await S3Server.start(foundS3.tool);
      await s3.createBucket('tutti');
      const addresses: [string, string][] = [];
      for (const last of [7, 8, 9]) {
        addresses.push([`10.0.3.${last}:7784`, `127.0.0.1:${await freePort()}`]);
      }
      machines = await Machines.open({
        folder: bench.path('machines'),
        tools: [programs, 'tool' in foundS3 ? dirname(foundS3.tool) : ''],
        replaced: [
          ...addresses,
          ['tutti@db.example.com', `tutti@127.0.0.1:${postgres.port}`],
          ['--host db.example.com', `--host 127.0.0.1 --port ${postgres.port}`],
          ['https://objects.example.com', s3.endpoint],
          ['AWS_ACCESS_KEY_ID=…', `AWS_ACCESS_KEY_ID=${ACCESS_KEY}`],
          ['AWS_SECRET_ACCESS_KEY=…', `AWS_SECRET_ACCESS_KEY=${SECRET_KEY}`],
          ['key-of-the-bucket', ACCESS_KEY],
          ['secret-of-the-bucket', SECRET_KEY],
        ],
      });
      machines.installer('tutti-0.1.0-linux-x64');
      symlinkSync(join(ROOT, 'deploy'), machines.path('one', 'root', 'deploy'));
      await giveWayToUser();
    });
    afterAll(async () => {
      await machines?.close();
      await bench?.close();
      await s3?.remove();
      await postgres?.remove();
    });
    test(
      'its commands lead from nothing to three replicas, and through an upgrade and a restore',
      {
        timeout: LONG_MS,
      },
      followPage,
    );
  },
);

/** The administrator has the name that the page gives to the user of the server. */
async function giveWayToUser(): Promise<void> {
  await postgres.query('postgres', 'CREATE USER postgres SUPERUSER');
  await queryAt(postgres.urlOf('postgres', 'postgres'), 'ALTER USER tutti RENAME TO initial');
}

/** The interface of a replica. */
async function apiOf(machine: Machine) {
  const token = await readFile(machines.path(machine, 'var/lib/tutti/admin.token'), 'utf8');
  const url = `http://127.0.0.1:${machines.ports[machine]}`;
  return { ...createApi(url, token.trim()), token: token.trim() };
}

const attaching = () => oneJob('attaches', [sh('echo content > left; echo "::attach::$PWD/left"')]);

async function followPage(): Promise<void> {
  expect(BLOCKS).toHaveLength(9);
  for (const block of [CREATE, CHECK, FIRST, SECOND, THIRD]) await machines.run(block);
  const looked = await machines.run(LOOK);
  expect(looked.match(/^ {2}ok {6}\S+ (?:is active|waits), with version/gm)).toHaveLength(3);
  expect(looked).toContain('All is well.');
  const two = await apiOf('two');
  await bench.agent(two, { tags: ['linux'], name: 'agent' });

  const steps = Array.from({ length: 20 }, (_, step) => sh(`echo ${step}; sleep 0.3`));
  const during = await start(two, oneJob('during', steps));
  await machines.run(UPGRADE);
  expect(await ended(two, during, { withinMs: 60_000 })).toBe('DONE');

  const before = await start(two, attaching());
  expect(await ended(two, before)).toBe('DONE');
  await machines.run(BACKUP);
  const after = await start(two, attaching());
  expect(await ended(two, after)).toBe('DONE');
  await machines.run(RESTORE);
  for (const machine of MACHINES) {
    const api = await apiOf(machine);
    expect(await statusOf(api, before)).toBe('DONE');
    expect((await api.call('GET', await attachmentOf(api, before))).text).toBe('content\n');
    expect((await api.call('GET', `/workflows/${after}/status`)).code).toBe(404);
  }
  expect(await ended(two, await start(two, attaching()))).toBe('DONE');
}
