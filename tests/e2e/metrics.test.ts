/** `GET /metrics` of a real server, compared with what happened on it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { METRICS } from '../../server/src/services/metrics/definitions.ts';
import { createApi, detailsOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { type Scrape, scrape } from '../support/exposition.ts';
import { createGate } from '../support/gate.ts';
import { type Inbox, openInbox } from '../support/inbox.ts';
import { allEvents, ended, oneJob, sh, start, workersEnded } from '../support/runs.ts';
import { testPostgres } from '../support/test-databases.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { startCli } from './cli-process.ts';

let bench: Workbench;
let server: ServerChild;
let inbox: Inbox;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  await bench.agent(server, { tags: ['linux'], name: 'shell' });
  inbox = await openInbox();
});

afterAll(async () => {
  await inbox.close();
  await bench.close();
});

const now = (): Promise<Scrape> => scrape(server);

/** The rise of each value since `before`. */
function rises(before: Scrape, after: Scrape, names: readonly string[]): Readonly<object> {
  const rise = (name: string) => (after.value(name) ?? 0) - (before.value(name) ?? 0);
  return Object.fromEntries(names.map((name) => [name, rise(name)]));
}

async function endedWith(name: string, script: string): Promise<string> {
  const id = await start(server, oneJob(name, [sh(script)]));
  await ended(server, id);
  await workersEnded(server, id);
  return id;
}

test('runs, jobs and commands are counted as they end', async () => {
  const before = await now();
  const done = await endedWith('done', 'echo fine');
  const failed = await endedWith('failed', 'exit 3');
  const canceled = await start(server, oneJob('never', [sh('true')], { 'runs-on': 'nowhere' }));
  await server.call('DELETE', `/workflows/${canceled}`);
  await ended(server, canceled);
  const after = await now();
  const risen = (result: string) =>
    (after.value('tutti_runs_ended_total', { result }) ?? 0) -
    (before.value('tutti_runs_ended_total', { result }) ?? 0);
  expect(['done', 'failed', 'canceled'].map(risen)).toEqual([1, 1, 1]);
  const logs = await Promise.all([done, failed, canceled].map((id) => allEvents(server, id)));
  expect(
    rises(before, after, [
      'tutti_runs_accepted_total',
      'tutti_run_acceptance_seconds_count',
      'tutti_stored_runs',
      'tutti_stored_events',
      'tutti_jobs_ended_total',
      'tutti_job_wait_seconds_count',
      'tutti_command_seconds_count',
      'tutti_command_dispatch_seconds_count',
    ]),
  ).toEqual({
    tutti_runs_accepted_total: 3,
    tutti_run_acceptance_seconds_count: 3,
    tutti_stored_runs: 3,
    tutti_stored_events: logs.flat().length,
    tutti_jobs_ended_total: 3,
    tutti_job_wait_seconds_count: 2,
    // The step of each, and its release.
    tutti_command_seconds_count: 4,
    // Each release came with the result of the step.
    tutti_command_dispatch_seconds_count: 2,
  });
});

test('what is going on is told: runs, jobs and agents', async () => {
  const gate = createGate(bench);
  const running = await start(server, oneJob('held', [gate.step]));
  const waiting = await start(server, oneJob('waits', [sh('true')]));
  const busy = await eventually('a busy agent with one job in line', async () => {
    const seen = await now();
    const isBusy = seen.value('tutti_agents', { state: 'busy' }) === 1;
    return isBusy && seen.value('tutti_live_jobs', { phase: 'running' }) === 1 ? seen : null;
  });
  expect([
    busy.value('tutti_live_runs'),
    busy.value('tutti_live_jobs', { phase: 'requested' }),
    busy.value('tutti_agents', { state: 'idle' }),
  ]).toEqual([2, 1, 0]);
  await gate.open();
  await Promise.all([ended(server, running), ended(server, waiting)]);
  await eventually('nothing going on', async () => {
    const seen = await now();
    return (
      seen.value('tutti_live_runs') === 0 && seen.value('tutti_agents', { state: 'idle' }) === 1
    );
  });
});

test('deliveries and what waits for inboxes are told by the state of the subscription', async () => {
  const subscription = {
    apiVersion: 'opentestfactory.org/v1alpha1',
    kind: 'Subscription',
    metadata: { name: 'ends' },
    spec: {
      selector: { matchKind: 'WorkflowCompleted' },
      subscriber: { endpoint: inbox.endpoint },
    },
  };
  const made = await server.call('POST', '/subscriptions', { body: subscription });
  await endedWith('heard of', 'true');
  await eventually('a delivery', () => inbox.deliveries.length > 0);
  inbox.answerWith(503);
  await endedWith('postponed', 'true');
  const failing = await eventually('a postponed delivery', async () => {
    const seen = await now();
    return seen.value('tutti_outbox_entries', { state: 'failing' }) === 1 ? seen : null;
  });
  expect(failing.value('tutti_subscriptions', { state: 'failing' })).toBe(1);
  expect(failing.value('tutti_delivery_attempts_total', { outcome: 'taken' })).toBe(1);
  expect(failing.value('tutti_delivery_attempts_total', { outcome: 'postponed' })).toBeGreaterThan(
    0,
  );
  inbox.answerWith(200);
  await eventually('the delivery', async () => {
    const seen = await now();
    return seen.value('tutti_delivery_attempts_total', { outcome: 'taken' }) === 2;
  });
  await server.call('DELETE', `/subscriptions/${detailsOf(made).uuid}`);
});

test('the store and the files are measured', async () => {
  const before = await now();
  const id = await endedWith('attaches', 'printf 12345 > a; echo "::attach::$PWD/a"');
  const after = await now();
  const { tutti_commit_seconds_count: commits, tutti_commit_operations_sum: operations } = rises(
    before,
    after,
    ['tutti_commit_seconds_count', 'tutti_commit_operations_sum'],
  ) as Readonly<Record<string, number>>;
  expect(commits).toBeGreaterThan(0);
  expect(operations).toBeGreaterThanOrEqual(commits ?? 0);
  expect(after.value('tutti_database_bytes')).toBeGreaterThan(100_000);
  expect(after.value('tutti_disk_free_bytes')).toBeGreaterThan(0);
  // The blobs are added up once in ten minutes, so a server that has them from before tells of them.
  await server.child.kill('SIGTERM');
  server = await bench.server({ dataDir: server.dataDir });
  const files = await eventually('the sizes of blobs', async () => {
    const seen = await now();
    return seen.value('tutti_blobs_files') === null ? null : seen;
  });
  expect(files.value('tutti_blobs_files')).toBe(1);
  expect(files.value('tutti_blobs_bytes')).toBe(5);
  expect((await server.call('GET', `/workflows/${id}/status`)).code).toBe(200);
  await bench.agent(server, { tags: ['linux'], name: 'again' });
});

const OF_POSTGRES = [
  'tutti_database_available',
  'tutti_database_away_seconds_total',
  'tutti_database_lost_connections_total',
  'tutti_database_batches_in_doubt_total',
  'tutti_database_lost_writers_total',
  'tutti_database_unknown_outcomes_total',
];

const isOfReplicas = (name: string) => /^tutti_(?:replica|forwarded|takeovers)/.test(name);

test('each metric that is defined is there, with its type and what it means', async () => {
  const { families } = await eventually('the sizes of blobs', async () => {
    const seen = await now();
    return seen.value('tutti_blobs_files') === null ? null : seen;
  });
  const shownBy = families.map(({ name, type, help }) => [name, { type, help }]);
  const isAbsent =
    testPostgres() === null
      ? (name: string) => OF_POSTGRES.includes(name)
      : (name: string) => name === 'tutti_kept_logs';
  const defined = Object.entries(METRICS)
    .filter(([name]) => !isOfReplicas(name) && !isAbsent(name))
    .map(([name, { type, help }]) => [name, { type, help }]);
  expect(shownBy).toEqual(defined);
});

test('names, ids and paths that users choose add no series', async () => {
  const series = ({ families }: Scrape) =>
    families.flatMap(({ samples }) =>
      samples.map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`),
    );
  const use = async (suffix: string) => {
    const name = `run-${suffix}`;
    const id = await start(server, {
      ...oneJob(name, [sh(`echo ${suffix}`, { name: `step ${suffix}` })]),
      metadata: { name, namespace: `space-${suffix}`, labels: { 'example.com/own': suffix } },
    });
    for (const path of [`/workflows/${id}/status`, `/agents/${id}`, `/nothing/${suffix}`]) {
      await server.call('GET', path, { query: `q=${suffix}` });
    }
    await server.call('DELETE', `/workflows/${id}`);
    await ended(server, id);
  };
  await use('first');
  // The numbers of a request include the answer to the previous one, and sizes that take time to find out.
  await eventually('sizes', async () => (await now()).value('tutti_blobs_files') !== null);
  const before = series(await now());
  for (let index = 0; index < 25; index += 1) await use(`other-${index}`);
  expect(series(await now())).toEqual(before);
});

test('all labels have the values that are defined for them', async () => {
  const { families } = await now();
  const paths = new Set(
    Object.keys(JSON.parse((await server.call('GET', '/openapi.json')).text).paths),
  );
  const bounded: Readonly<Record<string, (text: string) => boolean>> = {
    routes: (text) => text === 'none' || text === '/openapi.json' || paths.has(text),
    methods: (text) => ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT', 'other'].includes(text),
    codes: (text) => /^[2-5]\d\d$/.test(text),
    version: (text) => /^\d+\.\d+\.\d+$/.test(text),
  };
  const strange = families.flatMap(({ name, samples }) => {
    const definition = Object.entries(METRICS).find(([defined]) => defined === name)?.[1];
    const allowed: Readonly<Record<string, readonly string[] | string>> =
      definition !== undefined && 'labels' in definition ? definition.labels : {};
    const isAllowed = ([label, text]: readonly [string, string]) => {
      const values = allowed[label];
      if (label === 'le' && definition?.type === 'histogram') return true;
      return typeof values === 'string' ? bounded[values]?.(text) : values?.includes(text);
    };
    return samples.flatMap(({ labels }) =>
      Object.entries(labels).filter((pair) => isAllowed(pair) !== true),
    );
  });
  expect(strange).toEqual([]);
});

test('a server that is told so tells its metrics without a token', async () => {
  const open = await bench.server({ config: { auth: { insecureMetrics: true } } });
  const anonymous = { headers: { authorization: '' } };
  expect((await open.call('GET', '/metrics', anonymous)).code).toBe(200);
  expect((await server.call('GET', '/metrics', anonymous)).code).toBe(401);
  expect((await open.call('GET', '/workflows', anonymous)).code).toBe(401);
});

test('a token made for it reads the metrics and nothing else', async () => {
  const words = ['token', 'create', '--data-dir', server.dataDir, '--subject', 'prometheus'];
  const made = startCli([...words, '--resources', 'metrics', '--verbs', 'get'], {
    cwd: bench.folder,
  });
  expect(await made.ended).toBe(0);
  const reader = createApi(server.url, made.stdout().trim());
  expect((await scrape(reader)).value('tutti_build_info')).toBe(1);
  expect((await reader.call('GET', '/workflows')).code).toBe(403);
});
