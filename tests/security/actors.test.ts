/** The actor of each event, in the events, in the log of the server and on the command line. */
import { type Actor, actorIn } from '@tutti/manifests';
import { afterAll, beforeAll, expect } from 'vitest';
import { runCommand } from '../../cli/src/testing/run-command.ts';
import { bodyOf, type Loose } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { allEvents, ended, logOf, oneJob, only, sh, start, startedId } from '../support/runs.ts';
import { attack } from './attack.ts';
import { openTeams, publish, receivedBy, subscribed, type Teams } from './teams.ts';

let teams: Teams;
beforeAll(async () => {
  teams = await openTeams({ config: { logLevel: 'info' } });
  await teams.bench.agent(teams.server, { tags: ['linux'], namespaces: '*' });
});
afterAll(() => teams.bench.close());

const GROUP = 'opentestfactory.org';
const FORGED = { subject: 'admin', key: 'sha256:ours' };
const KEY = expect.stringMatching(/^sha256:[\w-]{16}$/);
const by = (subject: string): Actor => ({ subject, key: KEY });
const held = oneJob('held', [sh('true')], { 'runs-on': 'nowhere' });

const actorsOf = async (run: string, kind: string): Promise<readonly (Actor | null)[]> =>
  (await allEvents(teams.server, run))
    .filter((event) => event.kind === kind)
    .map(({ metadata }) => actorIn(metadata));

attack('forged-actor', async () => {
  const bob = teams.as('bob');
  const inbox = await subscribed(teams.server, { matchKind: 'Custom' });
  const claimed = { 'tutti.actor': FORGED };
  const run = await start(bob, { ...held, metadata: { name: 'n', ...claimed } });
  expect(await actorsOf(run, 'Workflow')).toEqual([by('bob')]);
  const metadata = { name: 'n', workflow_id: run, ...claimed };
  await publish(bob, { kind: 'Custom', metadata, ...claimed });
  await publish(bob, { kind: 'Custom', metadata: claimed });
  expect(await actorsOf(run, 'Custom')).toEqual([by('bob')]);
  const events = await receivedBy(teams, inbox, { kind: 'Custom' });
  expect(events.map(({ metadata }) => actorIn(Object(metadata)))).toEqual([by('bob'), by('bob')]);
});

attack('forged-source', async () => {
  const { server, as } = teams;
  const canceled = async (cancel: (run: string) => Promise<unknown>): Promise<void> => {
    const run = await start(server, held);
    await cancel(run);
    await ended(server, run);
    expect(await actorsOf(run, 'WorkflowCancellation')).toEqual([by('bob')]);
    expect(await actorsOf(run, 'WorkflowCanceled')).toEqual([by('bob')]);
    const [end] = only(await allEvents(server, run), 'WorkflowCanceled');
    expect(end?.details).toMatchObject({ source: 'admin', status: 'cancelled' });
    const text = 'requested by "bob" (source "admin"): wrong branch';
    expect(await logOf(server, run)).toContain(text);
    const at = ['--server', server.url, '--token', server.token];
    const { stdout } = await runCommand(['status', run, ...at]);
    expect(stdout).toContain('canceled by bob');
    expect(stdout).not.toContain('admin');
    const events = await runCommand(['workflows', 'events', run, ...at]);
    expect(events.stdout).toMatch(/WorkflowCancellation .* by bob: wrong branch/);
  };
  const query = 'source=admin&reason=wrong%20branch';
  await canceled((run) => as('bob').call('DELETE', `/workflows/${run}`, { query }));
  await canceled((run) =>
    publish(as('bob'), {
      apiVersion: `${GROUP}/v1`,
      kind: 'WorkflowCancellation',
      metadata: { name: 'n', workflow_id: run },
      details: { source: 'admin', reason: 'wrong branch' },
    }),
  );
});

attack('taken-over-group', async () => {
  const { server, as } = teams;
  const group = (more = {}) => ({ concurrency: { group: 'lab', ...more } });
  const taking = { ...held, ...group({ 'cancel-in-progress': true }) };
  const first = await start(as('bob'), { ...held, ...group() });
  const second = await start(as('erin'), taking);
  await ended(server, first);
  expect(await actorsOf(first, 'WorkflowCancellation')).toEqual([by('erin')]);
  expect(await actorsOf(first, 'WorkflowCanceled')).toEqual([by('erin')]);
  expect(await logOf(server, first)).toContain('requested by "erin" (source "arranger")');
  await as('erin').call('DELETE', `/workflows/${second}`);
  // A single job holds the group.
  const ofJob = oneJob('held', [sh('true')], { 'runs-on': 'nowhere', ...group() });
  const third = await start(as('bob'), ofJob);
  const last = await start(as('dora'), taking);
  await ended(server, third);
  expect(await actorsOf(third, 'Notification')).toContainEqual(by('dora'));
  await as('dora').call('DELETE', `/workflows/${last}`);
});

/** The lines of the audit log that name that subject. */
const auditOf = (subject: string): readonly Loose[] =>
  teams.server.child.stderr
    .split('\n')
    .filter((line) => line.includes('"msg":"audit"'))
    .map((line): Loose => JSON.parse(line))
    .filter((line) => line.subject === subject);

attack('change-without-actor', async () => {
  const carol = teams.as('carol');
  const run = await start(carol, oneJob('short', [sh('echo done')]));
  await ended(carol, run);
  const rerun = startedId(await carol.call('POST', `/workflows/${run}/rerun`));
  await ended(carol, rerun);
  await publish(carol, {
    apiVersion: 'v1',
    kind: 'Notification',
    metadata: { name: 'told', workflow_id: run },
    spec: { logs: ['told'] },
  });
  const body = { insights: [{ name: 'log', kind: 'ExecutionLog' }] };
  await carol.call('POST', `/workflows/${run}/insights`, { query: 'insight=log', body });
  const report = () => actorsOf(run, 'WorkflowResult').then((actors) => actors[0] ?? null);
  expect(await eventually('the report', report)).toEqual(by('carol'));
  expect(await actorsOf(run, 'Workflow')).toEqual([by('carol')]);
  expect(await actorsOf(rerun, 'Workflow')).toEqual([by('carol')]);
  expect(await actorsOf(run, 'Notification')).toContainEqual(by('carol'));
  // The agent of this test has the token of the administrator, and the server itself takes jobs to it.
  const results = only(await allEvents(carol, run), 'ExecutionResult');
  const ofSteps = results.filter(({ metadata }) => metadata.step_sequence_id >= 0);
  expect(ofSteps.map(({ metadata }) => actorIn(metadata))).toEqual([by('admin')]);
  const metadata = { name: 'machine', namespaces: 'default' };
  const registration = {
    apiVersion: `${GROUP}/v1alpha1`,
    kind: 'AgentRegistration',
    metadata,
    spec: { tags: ['none'] },
  };
  const agent = await carol.call('POST', '/agents', { body: registration });
  const { uuid } = bodyOf(agent).details as { uuid: string };
  for (const [method, path] of [
    ['POST', `/agents/${uuid}/drain`],
    ['DELETE', `/agents/${uuid}/drain`],
    ['DELETE', `/agents/${uuid}`],
    ['DELETE', `/workflows/${rerun}`],
    ['DELETE', `/workflows/${rerun}/history`],
  ] as const) {
    await carol.call(method, path);
  }
  const refused = teams.as('carol', { namespaces: ['team-a'] });
  expect((await refused.call('DELETE', `/workflows/${run}`)).code).toBe(403);
  const of = { subject: 'carol', key: KEY };
  const line = (right: string, path: string, more: object = {}) => {
    const [verb, resource] = right.split(' ');
    return { ...of, verb, resource, path, code: 200, ...more };
  };
  await eventually('the lines', () => auditOf('carol').some(({ code }) => code === 403));
  const namespace = 'default';
  const ofAgent = { agentId: uuid, namespace };
  expect(auditOf('carol')).toMatchObject([
    line('create workflows', '/workflows', { workflowId: run, namespace, code: 201 }),
    line('create workflows', '/workflows/:workflow_id/rerun', {
      ...{ workflowId: rerun, rerunOf: run, namespace, code: 201 },
    }),
    line('create publications', '/publications', {
      ...{ kind: 'Notification', workflowId: run, namespace },
    }),
    line('get workflows', '/workflows/:workflow_id/insights', { workflowId: run, namespace }),
    line('create agents', '/agents', { ...ofAgent, code: 201 }),
    line('delete agents', '/agents/:agent_id/drain', ofAgent),
    line('delete agents', '/agents/:agent_id/drain', ofAgent),
    line('delete agents', '/agents/:agent_id', ofAgent),
    line('delete workflows', '/workflows/:workflow_id', { workflowId: rerun, namespace }),
    line('delete workflows', '/workflows/:workflow_id/history', { workflowId: rerun, namespace }),
    line('delete workflows', '/workflows/:workflow_id', { workflowId: run, code: 403 }),
  ]);
});

// Bound: The subject of a token.
attack('hostile-subject', async () => {
  const subject = 'eve\n{"level":"info"}\u001b[2J\u009b2J\u202e"';
  const eve = teams.as(subject);
  const run = await start(eve, held);
  await eve.call('DELETE', `/workflows/${run}`);
  await ended(teams.server, run);
  expect(await actorsOf(run, 'Workflow')).toEqual([by(subject)]);
  const escaped = 'eve\\u{a}{"level":"info"}\\u{1b}[2J\\u{9b}2J\\u{202e}"';
  await eventually('its lines', () => auditOf(escaped).length === 2);
  const at = ['--server', teams.server.url, '--token', teams.server.token];
  const texts = [
    teams.server.child.stderr,
    await logOf(teams.server, run),
    (await runCommand(['status', run, ...at])).stdout,
    (await runCommand(['workflows', 'events', run, ...at])).stdout,
  ];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  for (const text of texts) expect(text).not.toMatch(/[\u001b\u009b\u202e]|eve\n/);
  const tooLong = teams.as('e'.repeat(257));
  expect((await tooLong.call('GET', '/workflows')).code).toBe(401);
});
