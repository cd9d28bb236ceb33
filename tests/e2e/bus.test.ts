/** Plugins in other processes: subscriptions with a real inbox, publications, providers. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { bodyOf, detailsOf, itemsOf, type Loose } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { type Inbox, openInbox } from '../support/inbox.ts';
import { allEvents, ended, logOf, logTexts, oneJob, only, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  await bench.agent(server, { tags: ['linux'], name: 'shell' });
});

afterAll(() => bench.close());

async function openedInbox(receive?: (event: Loose) => void): Promise<Inbox> {
  const inbox = await openInbox(receive);
  onTestFinished(() => inbox.close());
  return inbox;
}

async function subscribe(name: string, selector: Loose, inbox: Inbox): Promise<string> {
  const answer = await server.call('POST', '/subscriptions', {
    body: {
      apiVersion: 'opentestfactory.org/v1alpha1',
      kind: 'Subscription',
      metadata: { name },
      spec: { selector, subscriber: { endpoint: inbox.endpoint } },
    },
  });
  expect(answer.code).toBe(201);
  const id = String(detailsOf(answer).uuid);
  onTestFinished(async () => {
    await server.call('DELETE', `/subscriptions/${id}`);
  });
  return id;
}

const sequenceOf = ({ metadata }: Loose): unknown => (metadata as Loose).step_sequence_id;
const workflowOf = ({ metadata }: Loose): unknown => (metadata as Loose).workflow_id;

// HTTP 3.2: A valid workflow is PENDING, has an id, and is published.
// HTTP 4.4: Deliveries have the ids of subscription and publication.
// HTTP 6: An event comes to the inbox of each subscription that matches, later.
test('an inbox gets every event that its subscription asks for, in order and once', async () => {
  const inbox = await openedInbox();
  const subscription = await subscribe('commands', { matchKind: 'ExecutionCommand' }, inbox);
  const id = await start(server, oneJob('observed', [sh('echo one'), sh('echo two')]));
  expect(await ended(server, id)).toBe('DONE');
  const commands = await eventually('all commands', () => {
    const mine = inbox.deliveries.filter(({ event }) => workflowOf(event) === id);
    return mine.length >= 4 ? mine : null;
  });
  expect(commands.map(({ event }) => sequenceOf(event))).toEqual([-1, 0, 1, -2]);
  for (const { headers } of commands) {
    expect(headers['x-subscription-id']).toBe(subscription);
    expect(headers['x-publication-id']).toMatch(UUID);
  }
  expect(new Set(commands.map(({ headers }) => headers['x-publication-id'])).size).toBe(4);
  const logged = only(await allEvents(server, id), 'ExecutionCommand');
  expect(commands.map(({ event }) => event)).toEqual(logged);
});

test('results reach plugins under the version that they know, and under v1 those who ask for it', async () => {
  const known = 'opentestfactory.org/v1alpha1';
  const matchKind = 'ExecutionResult';
  const asked = [
    { matchKind },
    { matchKind, matchFields: { apiVersion: known } },
    { matchKind, matchFields: { apiVersion: 'v1' } },
  ];
  const inboxes = await Promise.all(asked.map(() => openedInbox()));
  for (const [index, selector] of asked.entries()) {
    const inbox = inboxes[index];
    if (inbox === undefined) throw new Error('Each subscription has its inbox.');
    await subscribe(`results ${index}`, selector, inbox);
  }
  const id = await start(server, oneJob('versions', [sh('true')]));
  expect(await ended(server, id)).toBe('DONE');
  const versionsAt = ({ deliveries }: Inbox) =>
    deliveries.filter(({ event }) => workflowOf(event) === id).map(({ event }) => event.apiVersion);
  await eventually('all results', () => inboxes.every((inbox) => versionsAt(inbox).length >= 3));
  const expected = [known, known, 'v1'].map((version) => [version, version, version]);
  expect(inboxes.map(versionsAt)).toEqual(expected);
  const logged = only(await allEvents(server, id), 'ExecutionResult');
  expect(logged.map(({ apiVersion }) => apiVersion)).toEqual(['v1', 'v1', 'v1']);
});

// HTTP 6: An event comes to the inbox of each subscription that matches, later.
test('an inbox that fails gets the event again when it is well', async () => {
  const inbox = await openedInbox();
  inbox.answerWith(503);
  await subscribe('ends', { matchKind: 'WorkflowCompleted' }, inbox);
  const id = await start(server, oneJob('delivered late', [sh('true')]));
  expect(await ended(server, id)).toBe('DONE');
  await eventually('a first attempt', () => inbox.deliveries.length > 0);
  inbox.answerWith(200);
  const attempts = await eventually('a second attempt', () =>
    inbox.deliveries.length > 1 ? inbox.deliveries : null,
  );
  const ids = attempts.map(({ headers }) => headers['x-publication-id']);
  expect(new Set(ids).size).toBe(1);
});

test('subscriptions are listed with the services of the server, and cancelled', async () => {
  const inbox = await openedInbox();
  const id = await subscribe('my plugin', { matchLabels: { 'example.com/kind': 'x' } }, inbox);
  const { items } = bodyOf(await server.call('GET', '/subscriptions'));
  const listed = items as Record<string, Loose>;
  expect(listed[id]).toMatchObject({
    kind: 'Subscription',
    metadata: {
      name: 'my plugin',
      subscription_id: id,
      annotations: { 'opentestfactory.org/labelselector': 'example.com/kind==x' },
    },
    spec: { subscriber: { endpoint: inbox.endpoint } },
    status: { publicationCount: 0 },
  });
  const names = Object.values(listed).map(({ metadata }) => (metadata as Loose).name);
  expect(names).toEqual(
    expect.arrayContaining(['arranger', 'observer', 'agentchannel', 'localstore']),
  );
  expect((await server.call('DELETE', `/subscriptions/${id}`)).code).toBe(200);
  const again = await server.call('DELETE', `/subscriptions/${id}`);
  expect(bodyOf(again)).toMatchObject({ code: 404, message: `Subscription ${id} not known.` });
});

// HTTP 6: Commands of providers have labels of category.
test('a provider in another process turns a step into steps', async () => {
  const inbox = await openedInbox((command) => {
    const { metadata, step } = command as { metadata: Loose; step: { with: Loose } };
    const body = {
      apiVersion: 'opentestfactory.org/v1beta1',
      kind: 'ProviderResult',
      metadata,
      steps: [
        { run: `echo greetings ${step.with.name}` },
        { run: 'echo ::set-output name=word::farewell', id: 'say' },
      ],
      outputs: { word: `\${{ steps.say.outputs.word }}` },
    };
    void server.call('POST', '/publications', { body });
  });
  const labels = {
    'opentestfactory.org/category': 'greet',
    'opentestfactory.org/categoryPrefix': 'examples',
  };
  await subscribe('greeter', { matchKind: 'ProviderCommand', matchLabels: labels }, inbox);
  const steps = [
    { uses: 'examples/greet@v1', id: 'greeting', with: { name: 'Ada' } },
    sh(`echo and \${{ steps.greeting.outputs.word }}`),
  ];
  const id = await start(server, oneJob('provided', steps));
  expect(await ended(server, id)).toBe('DONE');
  const texts = (await logTexts(server, id)).map((text) => text.trim());
  expect(texts).toEqual(expect.arrayContaining(['greetings Ada', 'and farewell']));

  const events = await allEvents(server, id);
  const [command] = only(events, 'ProviderCommand');
  expect(command).toMatchObject({
    apiVersion: 'opentestfactory.org/v1beta1',
    metadata: { labels: { ...labels, 'opentestfactory.org/categoryVersion': 'v1' } },
    'runs-on': ['linux'],
    contexts: { runner: { os: 'linux' } },
  });
  const nested = only(events, 'ExecutionCommand').filter(
    ({ metadata }) => metadata.step_origin.length > 0,
  );
  expect(nested.map(({ metadata }) => metadata.step_origin)).toEqual([
    [command?.metadata.step_id],
    [command?.metadata.step_id],
  ]);
});

// Language 1.7: Critical errors end the run.
test('a provider that gives up ends the workflow with what it says', async () => {
  const inbox = await openedInbox(({ metadata }) => {
    const error = 'There is no such greeting.';
    const kind = 'ExecutionError';
    const body = { apiVersion: 'opentestfactory.org/v1alpha1', kind, metadata, details: { error } };
    void server.call('POST', '/publications', { body });
  });
  const labels = { 'opentestfactory.org/category': 'refuse' };
  await subscribe('refuser', { matchKind: 'ProviderCommand', matchLabels: labels }, inbox);
  const id = await start(server, oneJob('refused', [{ uses: 'examples/refuse@v1' }]));
  expect(await ended(server, id)).toBe('FAILED');
  expect((await logTexts(server, id)).join('\n')).toContain('There is no such greeting.');
});

test('a step whose function nobody serves fails with a sentence that names it', async () => {
  const id = await start(server, oneJob('unserved', [{ uses: 'nobody/nothing@v9' }]));
  expect(await ended(server, id)).toBe('FAILED');
  expect((await logTexts(server, id)).join('\n')).toContain('nobody/nothing@v9');
});

test('an event that nobody asked for is taken all the same', async () => {
  const body = { apiVersion: 'example.com/v1', kind: 'Weather', metadata: { name: 'rain' } };
  const answer = await server.call('POST', '/publications', { body });
  expect(answer.code).toBe(200);
  expect(itemsOf(await server.call('GET', '/workflows/status'))).toEqual([]);
});

// HTTP 4.5: GET of the status: all events about the workflow, also of kinds that only plugins know.
test('4.5: events of a kind of a plugin are among the events of the run, masked, and change nothing of it', async () => {
  const inbox = await openedInbox();
  await subscribe('custom', { matchKind: 'Custom' }, inbox);
  const secret = 'hidden-from-all';
  const id = await start(server, { ...oneJob('told', [sh('true')]), secrets: { SECRET: secret } });
  const report = async (n: number) => {
    const metadata = { name: 'told', workflow_id: id, labels: { 'example.org/n': String(n) } };
    const body = { apiVersion: 'example.org/v1', kind: 'Custom', metadata, text: secret, n };
    const answer = await server.call('POST', '/publications', { body });
    expect(bodyOf(answer)).toMatchObject({ code: 200, message: 'Publication received.' });
  };
  const shownBy = async (query: string) => {
    const answer = await server.call('GET', `/workflows/${id}/status`, { query });
    return itemsOf(answer).map((item) => (item as Loose).n);
  };
  await report(1);
  expect(await ended(server, id)).toBe('DONE');
  const log = await logOf(server, id);
  await report(2);
  await server.call('POST', '/publications', { body: { kind: 'Custom', metadata: {}, n: 3 } });
  expect(await shownBy('fieldSelector=kind==Custom')).toEqual([1, 2]);
  expect(await shownBy('labelSelector=example.org/n==2')).toEqual([2]);
  const query = 'fieldSelector=kind==Custom';
  const { text } = await server.call('GET', `/workflows/${id}/status`, { query });
  expect(text).not.toContain(secret);
  expect(await ended(server, id)).toBe('DONE');
  expect(await logOf(server, id)).toBe(log);
  const ofRun = await eventually('both events at the inbox', () => {
    const events = inbox.deliveries.map(({ event }) => event);
    return events.some(({ n }) => n === 3) ? events.filter((each) => each.n !== 3) : null;
  });
  expect(ofRun).toMatchObject([
    { n: 1, text: '***' },
    { n: 2, text: '***' },
  ]);
});
