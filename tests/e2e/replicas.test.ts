/** Several servers with one database and one bucket. They are killed, stopped and paused while runs go on. */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Api, detailsOf } from '../support/api.ts';
import { askAs, pageHeaders, signIn } from '../support/browser-session.ts';
import { DatabaseProxy } from '../support/database-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import {
  databaseIn,
  describeWithPostgres,
  installPostgres,
  PostgresServer,
} from '../support/postgres-server.ts';
import { COUNTED_DEAD, ReplicaSet } from '../support/replica-set.ts';
import {
  attachmentOf,
  ended,
  logged,
  logOf,
  oneJob,
  sh,
  start,
  statusOf,
} from '../support/runs.ts';
import { installS3Server, S3_ENVIRONMENT, S3Server } from '../support/s3-server.ts';
import { Workbench } from '../support/workbench.ts';

const RUNS = 4;
const STEPS = 12;
const STEPS_IN_ORDER = Array.from({ length: STEPS }, (_, step) => String(step));
const LONG_MS = 120_000;

let bench: Workbench;
let postgres: PostgresServer;
let s3: S3Server;
let store: string;
let blobs: string;
let set: ReplicaSet;

const foundS3 = await installS3Server();

describeWithPostgres(
  'tool' in foundS3 ? installPostgres() : foundS3,
  'several replicas',
  (programs) => {
    beforeAll(async () => {
      bench = await Workbench.open();
      postgres = await PostgresServer.start(programs);
      if ('tool' in foundS3) s3 = await S3Server.start(foundS3.tool);
      await s3.createBucket('files');
      store = await postgres.createDatabase();
      blobs = s3.urlOf('files');
      set = await ReplicaSet.start(bench, 3, { store, blobs });
      for (const name of ['one', 'two']) await bench.agent(set.api, { tags: ['linux'], name });
    }, LONG_MS);
    afterAll(async () => {
      await set?.close();
      await bench?.close();
      await s3?.remove();
      await postgres?.remove();
    });
    beforeEach(async () => void (await set.startEnded()));
    describeRequests();
    describeEnds();
    describeRefusals();
  },
);

const LATE_AGENT = {
  apiVersion: 'opentestfactory.org/v1alpha1',
  kind: 'AgentRegistration',
  metadata: { name: 'late' },
  spec: { tags: ['windows'], encoding: 'utf-8', script_path: '/tmp' },
};

/** Each step leaves a line in a file of the run, so that a step that ran twice is seen. */
async function startMarked(api: Api, round: string) {
  const runs: { readonly id: string; readonly file: string }[] = [];
  for (let number = 0; number < RUNS; number += 1) {
    const file = bench.path(round);
    const steps = STEPS_IN_ORDER.map((step) =>
      sh(`echo ${step} >> ${file}; echo "output of ${step}"; sleep 0.05`),
    );
    runs.push({ id: await start(api, oneJob(`${round} ${number}`, steps)), file });
  }
  return runs;
}

/** All steps of all runs ran once, in their order, and are in the log. */
async function expectWhole(api: Api, runs: Awaited<ReturnType<typeof startMarked>>) {
  for (const { id, file } of runs) {
    expect(await ended(api, id, { withinMs: 60_000 })).toBe('DONE');
    expect(readFileSync(file, 'utf8').trim().split('\n')).toEqual(STEPS_IN_ORDER);
    const log = await logOf(api, id);
    for (const step of STEPS_IN_ORDER) expect(log).toContain(`output of ${step}`);
  }
  const damaged = await postgres.query(
    databaseIn(store),
    `SELECT workflow_id FROM runs r WHERE events <> (SELECT count(*) FROM events e WHERE e.workflow_id = r.workflow_id)`,
  );
  expect(damaged).toEqual([]);
}

/** Sends requests of all kinds until it is ended; answers those that failed. */
function traffic(): { end(): Promise<readonly string[]> } {
  const failed: string[] = [];
  let isEnded = false;
  const send = async () => {
    for (let number = 0; !isEnded; number += 1) {
      try {
        const id = await start(
          set.api,
          oneJob(`traffic ${number}`, [sh('true')], { 'runs-on': 'none' }),
        );
        expect(await statusOf(set.api, id)).toBe('PENDING');
        const canceled = await set.api.call('DELETE', `/workflows/${id}`);
        expect(canceled.code).toBe(200);
        expect((await set.api.call('GET', '/channels')).code).toBe(200);
      } catch (error) {
        failed.push(String(error));
      }
    }
  };
  const sending = send();
  return {
    end: async () => {
      isEnded = true;
      await sending;
      return failed;
    },
  };
}

function describeRequests() {
  test(
    'each of them answers, whichever is active',
    async () => {
      const [first, second, third] = [0, 1, 2].map((index) => set.replica(index));
      if (!first || !second || !third) throw new Error('There are three.');
      const { child } = await bench.agent(second, { tags: ['second'], name: 'second' });
      const steps = [
        sh('echo hello > out.txt; echo "::attach::out.txt"'),
        sh('sleep 1; echo done'),
      ];
      const id = await start(third, oneJob('anywhere', steps, { 'runs-on': 'second' }));
      await logged(second, id, 'done');
      expect(await ended(first, id)).toBe('DONE');
      for (const server of [first, second, third]) {
        const path = await attachmentOf(server, id);
        expect((await server.call('GET', path)).text).toBe('hello\n');
        const followed = await server.call('GET', `/workflows/${id}/logs`, { query: 'follow' });
        expect(followed.text).toContain('done');
        expect(detailsOf(await server.call('GET', '/channels')).items).toHaveLength(4);
        const stranger = { headers: { authorization: 'Bearer wrong' } };
        expect((await server.call('GET', '/channels', stranger)).code).toBe(401);
        expect((await server.call('GET', '/health', { query: 'ready' })).code).toBe(200);
        const large = {
          body: 'x'.repeat(20 * 1024 ** 2),
          headers: { 'content-type': 'application/json' },
        };
        expect((await server.call('POST', '/workflows', large)).code).toBe(413);
      }
      for (const server of [first, second, third]) {
        const token = { authorization: `Bearer ${server.token}` };
        expect(await signIn(server.url, token)).toMatch(/^tutti_session=/);
        const proxied = { ...pageHeaders(server.url), ...token, 'x-forwarded-for': '10.0.0.1' };
        expect((await askAs('POST', `${server.url}/ui/session`, proxied)).code).toBe(403);
      }
      expect(await set.active()).toBe(0);
      await child.kill('SIGTERM');
    },
    LONG_MS,
  );
}

function describeEnds() {
  test(
    'nothing is lost and no step runs twice when the active one is killed',
    async () => {
      const runs = await startMarked(set.api, 'killed');
      const [{ id } = { id: '' }] = runs;
      await logged(set.api, id, 'output of 1');
      const killed = await set.active();
      await set.endReplica(killed, 'SIGKILL');
      // A kept connection through the balancer may lead to the replica that is gone.
      const other = set.replica((killed + 1) % 3);
      const later = await startMarked(other, 'later');
      await expectWhole(other, [...runs, ...later]);
      expect(await set.active()).not.toBe(killed);
      await set.startReplica(killed);
    },
    LONG_MS,
  );

  test(
    'no request fails while one after the other is stopped and started',
    async () => {
      const sent = traffic();
      const runs = await startMarked(set.api, 'stopped');
      for (let index = 0; index < 3; index += 1) {
        const { child } = set.replica(index);
        await set.endReplica(index, 'SIGTERM');
        expect(await child.whenGone).toEqual({ code: 0, signal: null });
        await set.startReplica(index);
      }
      await expectWhole(set.api, runs);
      const failed = await sent.end();
      // The client of a replica that nobody stopped, and that ended, hears of its end.
      if ((await set.startEnded()) === 0) expect(failed).toEqual([]);
    },
    LONG_MS,
  );

  test(
    'one that stood still for too long finds that it may not go on',
    async () => {
      const runs = await startMarked(set.api, 'paused');
      const [{ id } = { id: '' }] = runs;
      await logged(set.api, id, 'output of 1');
      const paused = await set.active();
      const { child } = set.replica(paused);
      process.kill(child.pid, 'SIGSTOP');
      set.servers[paused] = null;
      await set.active();
      process.kill(child.pid, 'SIGCONT');
      expect(await child.whenGone).toEqual({ code: 1, signal: null });
      expect(child.stderr).toMatch(COUNTED_DEAD);
      await expectWhole(set.replica((paused + 1) % 3), runs);
      await set.startReplica(paused);
    },
    LONG_MS,
  );

  test(
    'one that was replaced, and has not heard of it, does not refuse what it does not know',
    async () => {
      await s3.createBucket('replaced');
      const direct = await postgres.createDatabase();
      const proxy = await DatabaseProxy.open(postgres.port);
      const serverAt = async (address: string, dataDir: string) =>
        await bench.server({
          dataDir,
          environment: S3_ENVIRONMENT,
          config: {
            store: address,
            blobs: s3.urlOf('replaced'),
            cluster: { address: `127.0.0.1:${await freePort()}` },
          },
        });
      const first = await serverAt(proxy.urlOf(direct), bench.path('replica'));
      const dataDir = bench.path('replica');
      for (const name of ['keys', 'admin.token']) {
        cpSync(join(first.dataDir, name), join(dataDir, name), { recursive: true });
      }
      const second = await serverAt(direct, dataDir);
      proxy.stall();
      await eventually('the takeover', async () =>
        (await second.call('GET', '/metrics')).text.includes('tutti_replica_active 1'),
      );
      const { uuid } = detailsOf(await second.call('POST', '/agents', { body: LATE_AGENT }));
      // An agent that hears that it is not known registers again, and loses its job.
      const { code } = await first.call('GET', `/agents/${uuid}`);
      expect(code).toBe(503);
      proxy.close();
      for (const { child } of [first, second]) await child.kill('SIGKILL');
    },
    LONG_MS,
  );

  test(
    'one that waits and stood still comes back, and its process goes on',
    async () => {
      const waiting = ((await set.active()) + 1) % 3;
      const { child } = set.replica(waiting);
      const others = async (count: number) => {
        const { text } = await set.replica((waiting + 2) % 3).call('GET', '/metrics');
        return new RegExp(`^tutti_replicas ${count}$`, 'm').test(text);
      };
      process.kill(child.pid, 'SIGSTOP');
      await eventually('its removal', () => others(2));
      process.kill(child.pid, 'SIGCONT');
      await eventually('its return', () => others(3));
      expect(child.isRunning).toBe(true);
      expect((await set.replica(waiting).call('GET', '/channels')).code).toBe(200);
    },
    LONG_MS,
  );

  test(
    'all of them wait for a database that restarts, and none counts as dead',
    async () => {
      const active = await set.active();
      const runs = await startMarked(set.api, 'restart');
      const [{ id } = { id: '' }] = runs;
      await logged(set.api, id, 'output of 1');
      await postgres.stop();
      await postgres.start();
      await expectWhole(set.api, runs);
      await postgres.kill();
      await postgres.start();
      await expectWhole(set.api, await startMarked(set.api, 'away'));
      expect(await set.active()).toBe(active);
      for (const server of set.servers) expect(server?.child.isRunning).toBe(true);
    },
    LONG_MS,
  );
}

function describeRefusals() {
  async function refusalOf(config: object) {
    const { child } = bench.launchServer({ config: { ...config }, environment: S3_ENVIRONMENT });
    await child.whenGone;
    return child.stderr;
  }
  const query = (text: string) => postgres.query(databaseIn(store), text);

  test(
    'a server that may not join does not start, and says what to do',
    async () => {
      const cluster = { address: `127.0.0.1:${await freePort()}` };
      const alone = await postgres.createDatabase();
      await bench.server({ config: { store: alone } });
      const said = await Promise.all([
        refusalOf({ cluster }),
        refusalOf({ store, blobs }),
        refusalOf({ store: alone, blobs, cluster }),
        refusalOf({ store, blobs, cluster: { address: `127.0.0.1:${postgres.port}` } }),
      ]);
      expect(said[0]).toContain('cluster.address: needs store, too');
      expect(said[1]).toContain('need cluster.address');
      expect(said[2]).toContain('Give it a cluster.address, too');
      expect(said[3]).toContain('with a port that is free');
      await query('UPDATE cluster SET level = level + 1');
      expect(await refusalOf({ store, blobs, cluster })).toContain('Install that version');
      await query('UPDATE cluster SET level = level - 1');
    },
    LONG_MS,
  );

  test(
    'nobody without the key of the replicas reaches their listener',
    async () => {
      const [row] = await query('SELECT address FROM replicas LIMIT 1');
      const answer = fetch(`http://${row?.address}/health`, {
        headers: { 'tutti-replica': 'forwarded' },
      });
      await expect(answer).rejects.toThrow();
      await expect(fetch(`https://${row?.address}/health`)).rejects.toThrow();
      const spoofed = await set.api.call('GET', '/workflows', {
        headers: { 'tutti-replica': 'look' },
      });
      expect(spoofed.code).toBe(200);
    },
    LONG_MS,
  );

  test(
    'an older version joins while the schema allows it',
    async () => {
      await query('UPDATE schema_version SET version = version + 1');
      await set.endReplica(2, 'SIGTERM');
      await set.startReplica(2);
      await query('UPDATE schema_version SET needs = version');
      const cluster = { address: `127.0.0.1:${await freePort()}` };
      expect(await refusalOf({ store, blobs, cluster })).toContain('of a newer version of Tutti');
    },
    LONG_MS,
  );
}
