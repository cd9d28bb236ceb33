/** `GET /queue`: jobs that wait, why, and what would help. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTeams, type Teams } from '../security/teams.ts';
import { type Api, bodyOf, detailsOf, itemsOf, type Loose } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { createGate } from '../support/gate.ts';
import { ended, oneJob, sh, start, statusOf } from '../support/runs.ts';

let teams: Teams;
let server: Api;

beforeAll(async () => {
  teams = await openTeams();
  ({ server } = teams);
  await teams.bench.agent(teams.server, { tags: ['linux'], namespaces: '*' });
});

afterAll(() => teams?.bench.close());

const waiting = async (api: Api = server, query = '') =>
  itemsOf(await api.call('GET', '/queue', { query })) as Loose[];

/** The list, once it has that many jobs with a reason. */
const waitingJobs = (count: number) =>
  eventually(`${count} waiting jobs`, async () => {
    const items = await waiting();
    return items.length === count && items.every(({ reason }) => reason !== null) ? items : null;
  });

test('jobs wait in their order, with reasons and what would help', async () => {
  expect(await waiting()).toEqual([]);
  const gate = createGate(teams.bench);
  const holder = await start(server, oneJob('holder', [gate.step]));
  await eventually('a run that runs', async () => (await statusOf(server, holder)) === 'RUNNING');
  const first = await start(server, oneJob('first', [sh('true')]));
  const second = await start(server, oneJob('second', [sh('true')]), 'namespace=theirs');
  const labels = { name: 'nowhere', labels: { team: 'red' } };
  const nowhere = {
    ...oneJob('', [sh('true')], { 'runs-on': ['linux', 'gpu'] }),
    metadata: labels,
  };
  await start(server, nowhere);
  const limited = {
    metadata: { name: 'limited' },
    strategy: { 'max-parallel': 1 },
    jobs: Object.fromEntries(
      ['a', 'b'].map((name) => [name, { 'runs-on': 'linux', steps: [sh('true')] }]),
    ),
  };
  await start(server, limited);
  const items = await waitingJobs(5);
  expect(items.map(({ workflow, name }) => `${workflow} ${name}`).toSorted()).toEqual([
    'first main',
    'limited a',
    'limited b',
    'nowhere main',
    'second main',
  ]);
  const named = (workflow: string, name = 'main') =>
    items.find((item) => item.workflow === workflow && item.name === name);
  expect(named('first')).toMatchObject({
    workflow_id: first,
    namespace: 'default',
    tags: ['linux'],
    since: expect.any(String),
    place: 1,
    reason: expect.stringContaining('busy'),
    help: 'Start one more agent with tag "linux" for namespace "default", or wait for the end of a job.',
  });
  expect(named('limited', 'a')).toMatchObject({ place: 2 });
  expect(named('nowhere')).toMatchObject({
    reason: expect.stringContaining('no environment with tag "gpu"'),
    help: expect.stringMatching(/^Start an agent with tags "gpu", "linux" .* correct runs-on\.$/),
  });
  expect(items.at(-1)).toMatchObject({
    workflow: 'limited',
    name: 'b',
    place: null,
    since: null,
    help: expect.stringContaining('raise max-parallel above 1'),
  });
  await expectParts(items);
  await gate.open();
  expect(await ended(server, holder)).toBe('DONE');
  for (const id of [first, second]) expect(await ended(server, id)).toBe('DONE');
  const [left] = await waitingJobs(1);
  expect(left).toMatchObject({ workflow: 'nowhere', usual_wait: null });
});

/** Pages, selectors and namespaces of the list. */
async function expectParts(items: readonly Loose[]): Promise<void> {
  const idsOf = (some: readonly Loose[]) =>
    some.map(({ workflow_id: id, name }) => `${id} ${name}`);
  expect(idsOf(await waiting(server, 'per_page=2&page=2'))).toEqual(idsOf(items.slice(2, 4)));
  const page = await server.call('GET', '/queue', { query: 'per_page=2' });
  expect(detailsOf(page).total).toBe(5);
  expect(await waiting(server, 'labelSelector=team==red')).toMatchObject([{ workflow: 'nowhere' }]);
  expect(await waiting(server, 'fieldSelector=name==b')).toMatchObject([{ workflow: 'limited' }]);
  const theirs = teams.as('eve', { namespaces: ['theirs'] });
  expect(await waiting(theirs)).toMatchObject([{ workflow: 'second', namespace: 'theirs' }]);
  expect(await waiting(server, 'namespace=theirs')).toHaveLength(1);
  const refused = await theirs.call('GET', '/queue', { query: 'namespace=default' });
  expect(bodyOf(refused)).toMatchObject({ code: 403 });
}

test('the usual wait is known once jobs with these tags have waited', async () => {
  const id = await start(server, oneJob('again', [sh('true')]));
  expect(await ended(server, id)).toBe('DONE');
  const gate = createGate(teams.bench);
  const holder = await start(server, oneJob('holder', [gate.step]));
  await eventually('a run that runs', async () => (await statusOf(server, holder)) === 'RUNNING');
  const last = await start(server, oneJob('last', [sh('true')]));
  const item = await eventually('the job that waits', async () =>
    (await waiting()).find((each) => each.workflow_id === last),
  );
  expect(item.usual_wait).toEqual(expect.any(Number));
  await gate.open();
  for (const each of [holder, last]) expect(await ended(server, each)).toBe('DONE');
});
