/** `GET /runs`: runs with what became of them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTeams, type Teams } from '../security/teams.ts';
import { type Api, bodyOf, detailsOf, itemsOf, type Loose, nextLinkOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { ended, logOf, oneJob, sh, start, workersEnded } from '../support/runs.ts';
import { reportStep } from '../support/sample-run.ts';
import type { ServerChild } from '../support/workbench.ts';

let teams: Teams;
let server: ServerChild;
let ids: { readonly [name in 'good' | 'bad' | 'late' | 'other']: string };

const CASES = [
  { name: 'a', seconds: 1 },
  { name: 'b', seconds: 0, outcome: '<skipped/>' },
];

beforeAll(async () => {
  teams = await openTeams();
  ({ server } = teams);
  await teams.bench.agent(server, { tags: ['linux'], namespaces: '*' });
  const labels = { metadata: { name: 'good one', labels: { team: 'red' } } };
  const good = await start(server, { ...oneJob('', [reportStep(CASES)]), ...labels });
  const failing = [sh('true'), sh('echo before; exit 3', { id: 'unit', name: 'Unit tests' })];
  const bad = await start(server, oneJob('bad', failing));
  for (const id of [good, bad]) await ended(server, id);
  await workersEnded(server, good);
  const late = await start(server, oneJob('late', [sh('true')], { 'runs-on': 'nowhere' }));
  const other = await start(server, oneJob('other', [sh('true')]), 'namespace=theirs');
  await ended(server, other);
  ids = { good, bad, late, other };
  await eventually('the reason of the job that waits', async () =>
    (await runs(server)).some(({ waiting }) => waiting !== null),
  );
});

afterAll(() => teams?.bench.close());

async function runs(api: Api, query = ''): Promise<readonly Loose[]> {
  return itemsOf(await api.call('GET', '/runs', { query })) as Loose[];
}

const namesOf = async (query: string, api: Api = server) =>
  (await runs(api, query)).map(({ name }) => name);

describe('GET /runs', () => {
  test('has what became of a run that succeeded', async () => {
    const [run] = await runs(server, 'name=good one');
    expect(run).toMatchObject({
      workflow_id: ids.good,
      namespace: 'default',
      status: 'DONE',
      canceled: false,
      labels: { team: 'red' },
      jobs: { total: 1, waiting: 0, running: 0, succeeded: 1, failed: 0, skipped: 0, canceled: 0 },
      waiting: null,
      rerun_of: null,
      first_failure: null,
    });
    const { duration, usual_duration: usual, tests, started_by: by } = run ?? {};
    expect(Math.round(Number(duration))).toBe(usual);
    expect(by).toEqual(expect.any(String));
    expect(tests).toEqual({ success: 1, failure: 0, error: 0, skipped: 1 });
  });

  test('has the first failure, and who waits for what', async () => {
    const [bad] = await runs(server, 'name=bad');
    expect(bad).toMatchObject({
      status: 'FAILED',
      jobs: { total: 1, failed: 1 },
      first_failure: { job: 'main', step: 'Unit tests', step_id: 'unit', message: 'exit code 3' },
    });
    const { line } = (bad?.first_failure ?? { line: 0 }) as { readonly line: number };
    const lines = (await logOf(server, ids.bad)).split('\n');
    expect(lines[line - 1]).toMatch(/Status code was: 3$/);
    const [late] = await runs(server, 'name=late');
    expect(late).toMatchObject({
      status: 'PENDING',
      started: null,
      ended: null,
      duration: null,
      jobs: { total: 1, waiting: 1 },
      waiting: expect.stringContaining('"nowhere"'),
    });
  });

  test('names the run that is run again', async () => {
    const path = `/workflows/${ids.bad}/rerun`;
    const { workflow_id: again } = detailsOf(await server.call('POST', path, { query: '' }));
    await ended(server, String(again));
    const [run] = await runs(server, `search=${again}`);
    expect(run).toMatchObject({ rerun_of: ids.bad, name: 'bad' });
  });

  test('takes conditions', async () => {
    expect(await namesOf('status=PENDING,RUNNING')).toEqual(['late']);
    expect(await namesOf('search=GOOD')).toEqual(['good one']);
    expect(await namesOf('namespace=theirs')).toEqual(['other']);
    expect(await namesOf('labelSelector=team==red')).toEqual(['good one']);
    expect(await namesOf('fieldSelector=jobs.failed==0&status=DONE&sort=name')).toEqual([
      'good one',
      'other',
    ]);
    expect(await namesOf('until=2020-01-01T00:00:00Z')).toEqual([]);
    expect((await namesOf('since=2020-01-01T00:00:00Z')).length).toBeGreaterThan(3);
  });

  test('has an order, pages and their number', async () => {
    const all = await namesOf('sort=name');
    expect(all).toEqual(all.toSorted());
    expect(await namesOf('sort=-name')).toEqual(all.toReversed());
    expect((await namesOf('sort=-duration')).at(-1)).toBe('late');
    const first = await server.call('GET', '/runs', { query: 'sort=name&per_page=1' });
    expect(detailsOf(first).total).toBe(all.length);
    const next = new URL(nextLinkOf(first) ?? '').search.slice(1);
    expect(await namesOf(next)).toEqual([all[1]]);
    expect(await namesOf('sort=name&per_page=1&page=2&fieldSelector=namespace')).toEqual([all[1]]);
  });

  test.each(['sort=size', 'status=GONE', 'since=now', 'search=%00', 'fieldSelector=('])(
    'refuses %s',
    async (query) => {
      expect(bodyOf(await server.call('GET', '/runs', { query }))).toMatchObject({ code: 422 });
    },
  );

  test('has the runs of the namespaces of its token', async () => {
    const theirs = teams.as('eve', { namespaces: ['theirs'] });
    expect(await namesOf('', theirs)).toEqual(['other']);
    expect(await namesOf('fieldSelector=status', theirs)).toEqual(['other']);
    const refused = await theirs.call('GET', '/runs', { query: 'namespace=default' });
    expect(bodyOf(refused)).toMatchObject({ code: 403 });
  });
});
