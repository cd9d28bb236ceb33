/** Publications as they pass, for those whom the server cannot reach. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../cli/src/testing/run-command.ts';
import { bodyOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { ended, oneJob, sh, start } from '../support/runs.ts';
import { sharedServer } from '../support/shared-server.ts';
import { openTenants } from '../support/tenants.ts';
import { startCli } from './cli-process.ts';

const { bench, server } = await sharedServer({ tags: ['linux'], name: 'one', namespaces: '*' });
const at = ['--server', server.url, '--token', server.token];

function listen(args: readonly string[], connection: readonly string[] = at) {
  const child = startCli(['subscriptions', 'listen', ...args, ...connection], {
    cwd: bench.folder,
  });
  onTestFinished(() => child.kill('SIGKILL'));
  return child;
}

const publish = (body: object) => server.call('POST', '/publications', { body });

test('events of runs pass a line each, without what the run masks', async () => {
  const listening = listen(['--kind', 'Workflow,ExecutionResult,WorkflowCompleted', '-o', 'json']);
  await listening.said(/^Listening\. Ctrl-C ends it\.$/m);
  const steps = [sh("echo '::add-mask::hidden-word'"), sh("echo 'a hidden-''word'")];
  const id = await start(server, oneJob('shown', steps));
  await listening.said(/"WorkflowCompleted"/);
  listening.kill('SIGINT');
  expect(await listening.ended).toBe(0);
  const lines = listening.stdout().trimEnd().split('\n');
  const events = lines.map((line) => JSON.parse(line));
  expect(events.every(({ metadata }) => metadata.workflow_id === id)).toBe(true);
  expect(events.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['Workflow', 'ExecutionResult', 'WorkflowCompleted']),
  );
  expect(listening.stdout()).toContain('a ***');
  expect(listening.stdout()).not.toContain('a hidden-word');
});

test('a table has time, kind, name and ids; --count ends it', async () => {
  const args = ['--field-selector', 'metadata.name==counted', '--count', '2'];
  const listening = listen([...args, '--kind', 'Workflow,WorkflowCompleted', '--timeout', '1m']);
  await listening.said(/^Listening/m);
  const id = await start(server, oneJob('counted', [sh('true')]));
  expect(await listening.ended).toBe(0);
  expect(listening.stdout()).toMatch(
    new RegExp(
      `^TIME +KIND {18}NAME +WORKFLOW_ID +JOB_ID\\n\\S+ +Workflow {14}counted +${id} +<none>\\n\\S+ +WorkflowCompleted +counted +${id} +<none>\\n$`,
    ),
  );
  expect(await ended(server, id)).toBe('DONE');
});

test('what is about no run passes, too, as labels choose it', async () => {
  const listening = listen(['-l', 'team=web', '--count', '1', '-o', 'json']);
  await listening.said(/^Listening/m);
  await publish({ kind: 'Deployed', metadata: { name: 'a', labels: { team: 'back' } } });
  const event = { kind: 'Deployed', metadata: { name: 'b', labels: { team: 'web' } } };
  await publish(event);
  expect(await listening.ended).toBe(0);
  const actor = { subject: 'admin', key: expect.any(String) };
  expect(JSON.parse(listening.stdout())).toEqual({
    ...event,
    metadata: { ...event.metadata, 'tutti.actor': actor },
  });
});

test.each([
  ['wide', /^TIME +KIND +NAME +WORKFLOW_ID +JOB_ID +NAMESPACE +STEP_ID\n<none> +Formed +<none> +1 +<none> +n +2\n<none> +Formed +<none> +<none> +<none> +<none> +<none>\n$/],
  ['yaml', /^---\nkind: Formed\nmetadata:\n {2}workflow_id: "1"\n {2}namespace: "n"\n {2}step_id: "2"\n {2}tutti.actor:\n {4}subject: admin\n {4}key: sha256:\S+\n---\nkind: Formed\n$/],
  ['name', /^1\n$/],
  ['custom-columns=KIND:kind,RUN:metadata.workflow_id', /^KIND +RUN\nFormed +1\nFormed +<none>\n$/],
])('-o %s shows each event when it comes', async (form, shown) => {
  const listening = listen(['--kind', 'Formed', '--count', '2', '-o', form]);
  await listening.said(/^Listening/m);
  await publish({ kind: 'Formed', metadata: { workflow_id: '1', namespace: 'n', step_id: '2' } });
  await publish({ kind: 'Formed' });
  expect(await listening.ended).toBe(0);
  expect(listening.stdout()).toMatch(shown);
}); // biome-ignore format: one line for each form

test('whoever waits for a number of events and stops that is told by the exit code', async () => {
  const listening = listen(['--kind', 'Never', '--count', '1']);
  await listening.said(/^Listening/m);
  listening.kill('SIGINT');
  expect(await listening.ended).toBe(130);
});

test('a token sees what its inbox would get', async () => {
  const token = async (...args: string[]) => {
    const made = ['token', 'create', '--data-dir', server.dataDir, '--subject', 'x', ...args];
    return (await runCommand(made)).stdout.trim();
  };
  const rights = ['--resources', 'subscriptions', '--verbs', 'create', '--namespaces', 'mine'];
  const of = ['--server', server.url, '--token', await token(...rights)];
  const listening = listen(['--count', '1', '-o', 'json'], of);
  await listening.said(/^Listening/m);
  await publish({ kind: 'Secret', metadata: { name: 'theirs', namespace: 'theirs' } });
  await publish({ kind: 'Secret', metadata: { name: 'of nobody' } });
  await publish({ kind: 'Told', metadata: { name: 'mine', namespace: 'mine' } });
  expect(await listening.ended).toBe(0);
  expect(JSON.parse(listening.stdout()).metadata.name).toBe('mine');
  const other = ['--resources', 'subscriptions', '--verbs', 'list', '--namespaces', 'mine'];
  const refused = await runCommand([
    ...['subscriptions', 'listen', '--server', server.url],
    ...['--token', await token(...other)],
  ]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('is not authorized to create subscriptions.');
});

test('a time limit ends it, with 101 where events were waited for', async () => {
  const quiet = ['--kind', 'Never', '--timeout', '0'];
  const listened = await runCommand(['subscriptions', 'listen', ...quiet, ...at]);
  expect(listened).toMatchObject({ code: 0, stdout: '' });
  const waited = await runCommand(['subscriptions', 'listen', ...quiet, '--count', '3', ...at]);
  expect(waited).toMatchObject({ code: 101, stdout: '' });
  expect(waited.stderr).toContain('tutti: The time is over, and 3 of 3 events are missing.\n');
});

test('a server that restarts is listened to again, and the gap is told', async () => {
  const port = await freePort();
  const first = await bench.server({ port });
  const of = ['--server', first.url, '--token', first.token];
  const listening = listen(['--kind', 'After', '--count', '1'], of);
  await listening.said(/^Listening/m);
  await first.child.kill('SIGTERM');
  await listening.said(/The connection is broken\. It is tried again; what passes meanwhile/);
  const second = await bench.server({ port, dataDir: first.dataDir });
  await listening.said(/^The server is back\.$/m);
  await second.call('POST', '/publications', { body: { kind: 'After' } });
  expect(await listening.ended).toBe(0);
  expect(listening.stdout()).toMatch(/After/);
});

test.each([
  ['405', 405, 'text/html', '<p>no</p>'],
  ['404', 404, 'application/json', '{"kind":"Status","reason":"NotFound","code":404,"message":"No such path."}'],
  ['a document', 200, 'application/json', '{"kind":"Status","code":200,"message":"","details":{"items":[]}}'],
  ['a page', 200, 'text/html', '<p>hello</p>'],
])('a server that has no such stream, and answers with %s, is told apart', async (_what, code, type, text) => {
  const fake = createServer((_, response) =>
    response.writeHead(code, { 'content-type': type }).end(text),
  );
  await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void fake.close());
  const { port } = fake.address() as AddressInfo;
  const of = ['--server', `http://127.0.0.1:${port}`, '--token', 'T'];
  const listened = await runCommand(['subscriptions', 'listen', ...of]);
  expect(listened).toMatchObject({
    code: 2,
    stderr:
      'tutti: This server does not show events as they pass.\nWhat to do: have them sent to an inbox: tutti subscriptions create --endpoint URL\n',
  });
}); // biome-ignore format: one line for each answer

const STREAM = { accept: 'text/event-stream', authorization: `Bearer ${server.token}` };

function open(query = '') {
  const left = new AbortController();
  onTestFinished(() => left.abort());
  const { signal } = left;
  return fetch(`${server.url}/publications${query}`, { headers: STREAM, signal });
}

test('who does not ask for a stream is told how to', async () => {
  expect(bodyOf(await server.call('GET', '/publications'))).toMatchObject({
    code: 200,
    message: 'Publications are sent as they pass, to those who accept text/event-stream.',
  });
});

test('a reader that is too slow misses events, is told how many, and costs nobody else anything', async () => {
  const response = await open('?fieldSelector=kind%3D%3DLarge');
  const text = 'x'.repeat(1024 * 1024);
  const COUNT = 40;
  for (let index = 0; index < COUNT; index += 1) await publish({ kind: 'Large', index, text });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let read = '';
  const missed = () => Number(/event: missed\ndata: \{"count":(\d+)\}/.exec(read)?.[1] ?? 0);
  await eventually('the count of what was missed', async () => {
    read += (await reader?.read())?.value ?? '';
    return missed() > 0;
  });
  const received = read.match(/event: publication\n/g)?.length ?? 0;
  expect(received + missed()).toBe(COUNT);
  await publish({ kind: 'Large', index: 'last' });
  await eventually('what comes after that', async () => {
    read += (await reader?.read())?.value ?? '';
    return read.includes('"last"');
  });
});

// Bound: Readers of all publications; data that waits for one.
test('no more than 100 readers look on', async () => {
  const { as } = await openTenants(bench, {
    config: { limits: { subjectShare: 1, namespaceShare: 1 } },
  });
  const { url, token } = as('ci', 'default');
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${token}` };
  const opened: Response[] = [];
  for (let index = 0; index < 101; index += 1) {
    opened.push(await fetch(`${url}/publications`, { headers }));
  }
  const codes = opened.map(({ status }) => status);
  expect(codes.slice(0, 100).every((code) => code === 200)).toBe(true);
  expect(codes[100]).toBe(429);
  expect(await opened[100]?.json()).toMatchObject({ reason: 'TooManyRequests' });
});
