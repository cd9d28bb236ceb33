/** The commands about agents, channels, namespaces, subscriptions and versions, at a real server. */
import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runCommand } from '../../cli/src/testing/run-command.ts';
import { detailsOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { createGate } from '../support/gate.ts';
import { openInbox } from '../support/inbox.ts';
import { ended, oneJob, sh, start } from '../support/runs.ts';
import { sharedServer } from '../support/shared-server.ts';
import { startCli } from './cli-process.ts';

const { bench, server, agent } = await sharedServer({ tags: ['linux', 'jdk'], name: 'one' });
const UNKNOWN = '99999999-0000-4000-8000-000000000009';

const tutti = (...args: string[]) =>
  runCommand([...args, '--server', server.url, '--token', server.token]);

const BY_ADMIN = { subject: 'admin', key: expect.stringMatching(/^sha256:/) };

test('agents are shown in each form', async () => {
  const table = await tutti('agents');
  expect(table.stdout).toMatch(/^NAME +STATUS +TAGS +NAMESPACES +AGENT_ID +RUNNING_JOB\n/);
  expect(table.stdout).toMatch(
    new RegExp(`^one +IDLE +linux,jdk +default +${agent.id} +<none>$`, 'm'),
  );
  expect((await tutti('agents', '-o', 'wide')).stdout).toMatch(/LAST_SEEN +REGISTERED +VERSION\n/);
  expect((await tutti('agents', 'list', '-o', 'name')).stdout).toBe(`${agent.id}\n`);
  const columns = 'custom-columns=N:metadata.name,T:spec.tags.*';
  expect((await tutti('agents', '-o', columns)).stdout).toBe('N    T\none  linux,jdk\n');
  const { stdout } = await tutti('agents', '-o', 'json');
  expect(JSON.parse(stdout)).toMatchObject([
    { kind: 'AgentRegistration', metadata: { name: 'one', agent_id: agent.id } },
  ]);
});

test('agents are chosen by selectors', async () => {
  const windows = await tutti('agents', '--field-selector', '(windows) in spec.tags');
  expect(windows).toEqual({ code: 0, stdout: '', stderr: 'No agent fits.\n' });
  const linux = await tutti('agents', '--field-selector', '(linux) in spec.tags', '-o', 'name');
  expect(linux.stdout).toBe(`${agent.id}\n`);
  const wrong = await tutti('agents', '-l', '((');
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('What to do: correct what is named above');
});

test.each([
  [['agents', 'delete'], 'No agent is named.'],
  [['agents', 'delete', 'ab', '--all'], 'several ways to say which agents are meant'],
  [['agents', 'delete', 'zz'], 'Not the id of an agent: "zz".'],
  [['agents', 'delete', UNKNOWN], `Agent ${UNKNOWN} not known.`],
  [['agents', 'nonsense'], '"tutti agents" has no command "nonsense".'],
  [['agents', '-o', 'xml'], '-o takes table, wide, json, yaml, name and custom-columns'],
  [['subscriptions', 'create'], 'A subscription needs the address'],
  [['subscriptions', 'delete', UNKNOWN], `Subscription ${UNKNOWN} not known.`],
  [['namespaces', '--verb', 'list'], '--resource and --verb go together.'],
  [['publish'], 'No event is named.'],
  [['publish', '--kind', 'K', '-e', 'a..b=c'], 'Not the path of an entry: "a..b".'],
  [['publish', '--kind', 'K', '-e', 'kind.x=c'], '"kind" is no object in the event.'],
  [['publish', 'none.yaml'], 'Cannot read the event from none.yaml: there is no such file.'],
])('wrong use is told: %j', async (args, message) => {
  const { code, stderr } = await tutti(...args);
  expect(stderr).toContain(message);
  expect(code).toBe(2);
});

test.each(['drain', 'delete'])(
  '"agents %s" tells how agents are chosen by name',
  async (command) => {
    const { code, stderr } = await tutti('agents', command, 'one');
    expect([code, stderr]).toEqual([
      2,
      'tutti: Not the id of an agent: "one".\n' +
        'What to do: to choose by name, write: --field-selector metadata.name==one; or see which there are with "tutti agents".\n',
    ]);
  },
);

test('agents are de-registered by parts of ids, and one that is refused keeps no other', async () => {
  const first = await registered('first');
  const second = await registered('second');
  const several = await tutti('agents', 'delete', UNKNOWN, first.slice(0, -1));
  expect(several).toMatchObject({ code: 2, stdout: `Agent ${first} de-registered.\n` });
  expect(several.stderr).toContain(`Agent ${UNKNOWN} not known.`);
  const chosen = await tutti('agents', 'delete', '--field-selector', 'metadata.name==second');
  expect(chosen).toEqual({ code: 0, stdout: `Agent ${second} de-registered.\n`, stderr: '' });
  const none = await tutti('agents', 'delete', '--field-selector', 'metadata.name==second');
  expect(none).toEqual({
    code: 0,
    stdout: '',
    stderr: 'No agent fits, so none was de-registered.\n',
  });
});

test('people are asked before several agents or subscriptions that a selector chooses go', async () => {
  const ids = [await registered('several'), await registered('several')];
  const choice = ['--field-selector', 'metadata.name==several'];
  const of = ['agents', 'delete', ...choice, '--server', server.url, '--token', server.token];
  const no = await runCommand(of, { input: 'n\n', isInteractive: true });
  expect(no).toEqual({
    code: 2,
    stdout: '',
    stderr: 'De-register 2 agents? [y/N] No agent was de-registered.\n',
  });
  const yes = await runCommand(of, { input: 'y\n', isInteractive: true });
  expect(yes.stdout).toBe(ids.map((id) => `Agent ${id} de-registered.\n`).join(''));
  for (const name of ['a', 'b']) {
    const endpoint = `http://127.0.0.1:9/${name}`;
    await tutti('subscriptions', 'create', '--endpoint', endpoint, '--name', 'several');
  }
  const both = ['subscriptions', 'delete', ...choice, '--server', server.url];
  const asked = await runCommand([...both, '--token', server.token], { isInteractive: true });
  expect(asked.stderr).toBe('Cancel 2 subscriptions? [y/N] No subscription was canceled.\n');
  const actual = await runCommand([...both, '--token', server.token, '--yes'], {
    isInteractive: true,
  });
  expect(actual.stdout).toMatch(/^(Subscription \S+ canceled\.\n){2}$/);
});

test('an agent drains until it works on nothing, and what it does and what waits for it is described', async () => {
  const gate = createGate(bench);
  const running = await start(server, oneJob('held', [{ ...gate.step, name: 'The gate' }]));
  await eventually('the job on the agent', async () =>
    (await tutti('agents')).stdout.includes(' BUSY '),
  );
  const drained = await tutti('agents', 'drain', agent.id, '--wait', '--timeout', '0');
  expect(drained).toEqual({
    code: 101,
    stdout: `Agent ${agent.id} takes no further job.\n`,
    stderr: 'tutti: Not drained after 0 s. At work: one.\n',
  });
  expect((await tutti('agents')).stdout).toMatch(/^one +BUSY,draining /m);
  const next = await start(server, oneJob('next', [sh('true')], { 'runs-on': ['jdk'] }));
  const other = await start(server, oneJob('other', [sh('true')], { 'runs-on': ['gpu', 'linux'] }));
  const { stdout } = await tutti('agents', 'describe', agent.id);
  expect(stdout).toMatch(
    /^Name: {9}one\nId: {11}\S+\nNamespaces: {3}default\nTags: {9}linux,jdk\n/,
  );
  expect(stdout).toMatch(/^Phase: {8}BUSY\nDraining: {5}since \S+: it takes no further job\n/m);
  expect(stdout).toMatch(/^Job: {10}main \(\S+\)$/m);
  expect(stdout).toContain(`\nWorkflow:     ${running} in namespace default\n`);
  expect(stdout).toContain('\nStep:         The gate\n');
  expect(stdout).toMatch(
    new RegExp(`in their order: 1\n.*\n1 +main +default +jdk +\\S+ +${next}\n`),
  );
  expect(stdout).toMatch(
    new RegExp(`wait: 1\n.*\nmain +default +gpu,linux +\\S+ +${other} +it lacks tag gpu\n$`),
  );
  const json = await tutti('agents', 'describe', agent.id, '-o', 'json');
  expect(JSON.parse(json.stdout)).toMatchObject({ agent: { kind: 'AgentRegistration' }, count: 1 });
  const draining = startCli(
    ['agents', 'drain', '--all', '--wait', '--server', server.url, '--token', server.token],
    { cwd: bench.folder },
  );
  await draining.said(/^Waiting\. At work: one\.$/m);
  await gate.open();
  expect(await draining.ended).toBe(0);
  expect(draining.stdout()).toMatch(/\nIt works on nothing\.\n$/);
  expect(await ended(server, running)).toBe('DONE');
  expect((await tutti('status', next)).stdout).toContain('is draining (one)');
  expect(await tutti('agents', 'undrain', agent.id)).toEqual({
    code: 0,
    stdout: `Agent ${agent.id} takes jobs.\n`,
    stderr: '',
  });
  expect(await ended(server, next)).toBe('DONE');
  await tutti('cancel', other);
});

test('an agent that does nothing and has no queue is described', async () => {
  await eventually('the idle agent', async () => (await tutti('agents')).stdout.includes(' IDLE '));
  const { stdout } = await tutti('agents', 'describe', agent.id);
  expect(stdout).toMatch(
    /\nPhase: {8}IDLE\nJob: {10}<none>\n\nNo job waits that it could take\.\n/,
  );
});

/** An agent that never asks for work. */
async function registered(name: string): Promise<string> {
  const manifest = {
    apiVersion: 'opentestfactory.org/v1alpha1',
    kind: 'AgentRegistration',
    metadata: { name, namespaces: 'default' },
    spec: { tags: ['windows'], encoding: 'utf-8', script_path: '/tmp' },
  };
  return String(detailsOf(await server.call('POST', '/agents', { body: manifest })).uuid);
}

test('channels are shown, also that for rehearsals', async () => {
  const { stdout } = await tutti('channels');
  expect(stdout).toMatch(/^NAME +NAMESPACES +TAGS +LAST_REFRESH +STATUS\n/);
  expect(stdout).toMatch(/^one +default +linux,jdk +\S+ +IDLE$/m);
  const wide = await tutti('channels', '-o', 'wide', '--field-selector', 'metadata.name==one');
  expect(wide.stdout).toMatch(/HANDLER_ID +RUNNING_JOB\none /);
  const named = await tutti('channels', '--field-selector', 'status.phase==IDLE', '-o', 'name');
  expect(named.stdout.split('\n')).toContain('one');
});

test('namespaces are those of the token', async () => {
  expect((await tutti('namespaces')).stdout).toBe('NAMESPACE\n*\n');
  const asked = ['namespaces', '--resource', 'workflows', '--verb', 'create'];
  expect((await tutti(...asked, '-o', 'name')).stdout).toBe('*\n');
  expect(JSON.parse((await tutti(...asked, '-o', 'json')).stdout)).toEqual(['*']);
  expect((await tutti(...asked, '-o', 'yaml')).stdout).toBe('- "*"\n');
});

test('a subscription is made, gets what is published, is shown and is canceled', async () => {
  const inbox = await openInbox();
  const of = ['subscriptions', 'create', '--endpoint', inbox.endpoint, '--name', 'mine'];
  const made = await tutti(...of, '--kind', 'Deployed', '-l', 'team=web', '-o', 'name');
  const id = made.stdout.trim();
  const publish = ['publish', '--kind', 'Deployed', '--name', 'shop', '-e', 'spec.version=1.2'];
  expect(await tutti(...publish, '-e', 'metadata.labels.team=web')).toEqual({
    code: 0,
    stdout: 'Publication received.\n',
    stderr: '',
  });
  expect(await tutti(...publish, '-e', 'metadata.labels.team=back')).toEqual({
    code: 1,
    stdout: 'Publication received, but no matching subscription.\n',
    stderr: '',
  });
  await eventually('the publication', () => inbox.deliveries.length > 0);
  expect(inbox.deliveries).toHaveLength(1);
  expect(inbox.deliveries[0]?.event).toEqual({
    apiVersion: 'opentestfactory.org/v1alpha1',
    kind: 'Deployed',
    metadata: { name: 'shop', labels: { team: 'web' }, 'tutti.actor': BY_ADMIN },
    spec: { version: '1.2' },
  });
  const mine = ['subscriptions', '--field-selector', 'metadata.name==mine'];
  const row = new RegExp(
    `^mine +${inbox.endpoint} +\\S+ +1 +kind==Deployed,team==web +200: 1 +${id}$`,
    'm',
  );
  await eventually('the count', async () => row.test((await tutti(...mine, '-o', 'wide')).stdout));
  expect((await tutti('subscriptions')).stdout).toMatch(/^arranger +internal:arranger .*<all>$/m);
  expect(await tutti('subscriptions', 'delete', id.slice(0, 13))).toEqual({
    code: 0,
    stdout: `Subscription ${id} canceled.\n`,
    stderr: '',
  });
  await inbox.close();
});

test('subscriptions and events come from files and from standard input, and --all spares the services', async () => {
  const inbox = await openInbox();
  const matchFieldExpressions = [{ key: 'spec.n', operator: 'In', values: ['7', '8'] }];
  const selector = { matchKind: 'FromFile', matchFieldExpressions };
  const spec = { selector, subscriber: { endpoint: inbox.endpoint } };
  const metadata = { name: 'filed' };
  const apiVersion = 'opentestfactory.org/v1alpha1';
  const file = bench.path('subscription.json');
  await writeFile(file, JSON.stringify({ apiVersion, kind: 'Subscription', metadata, spec }));
  const made = await tutti('subscriptions', 'create', '-f', file);
  expect(made.stdout).toMatch(/^Subscription 'filed' successfully registered \(id=\S+\)\.\n$/);
  const args = ['publish', '-', '--name', 'x', '--server', server.url, '--token', server.token];
  const published = await runCommand(args, { input: 'kind: FromFile\nspec: {n: 7}\n' });
  expect(published).toMatchObject({ code: 0, stdout: 'Publication received.\n' });
  const other = await runCommand(args, { input: 'kind: FromFile\nspec: {n: 9}\n' });
  expect(other).toMatchObject({ code: 1 });
  await eventually('the publication', () => inbox.deliveries.length > 0);
  expect((await tutti('subscriptions')).stdout).toContain('kind==FromFile,spec.n in (7, 8)');
  expect(inbox.deliveries[0]?.event).toEqual({
    kind: 'FromFile',
    metadata: { name: 'x', 'tutti.actor': BY_ADMIN },
    spec: { n: 7 },
  });
  expect((await tutti('subscriptions', 'delete', '--all')).stdout).toMatch(
    /^Subscription \S+ canceled\.\n$/,
  );
  const broken = await runCommand(args, { input: 'kind: [\n' });
  expect(broken.code).toBe(2);
  expect(broken.stderr).toContain('Cannot read the event from standard input, line ');
  const list = await runCommand(args, { input: '- a\n' });
  expect(list.stderr).toContain('There is no event in standard input: it has no object.');
  await inbox.close();
});

test('versions of client and server are one document for programs', async () => {
  const { stdout } = await tutti('version', '-o', 'json');
  expect(JSON.parse(stdout)).toMatchObject({
    client: { name: 'tutti', node: process.versions.node },
    server: { url: server.url, items: { name: expect.any(String) } },
  });
  const own = await runCommand(['version', '-o', 'yaml']);
  expect(own.stdout).toMatch(/^client:\n {2}name: tutti\n[\s\S]*\nserver: null\n$/);
});

test('a list that is watched tells what comes and what goes', async () => {
  const args = ['agents', '--watch', '--field-selector', 'metadata.name==third'];
  const watching = startCli([...args, '--server', server.url, '--token', server.token], {
    cwd: bench.folder,
  });
  const id = await registered('third');
  await watching.said(new RegExp(`^third +\\S+ +windows +default +${id} +<none>$`, 'm'));
  watching.kill('SIGINT');
  expect(await watching.ended).toBe(0);
});

test.each(['agents', 'channels', 'subscriptions', 'workflows'])(
  'looking on at %s, which have no end, is over with the time',
  async (noun) => {
    const args = [noun, '--watch', '--timeout', '0'];
    const at = ['--server', server.url, '--token', server.token];
    expect(await runCommand([...args, ...at])).toMatchObject({ code: 0, stderr: '' });
  },
);
