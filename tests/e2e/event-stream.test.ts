/** Events of a run as they come, for readers that stay: server-sent events of the status. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bodyOf } from '../support/api.ts';
import { createGate } from '../support/gate.ts';
import { allEvents, ended, logged, oneJob, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const ACCEPT = { accept: 'text/event-stream' };

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  await bench.agent(server, { tags: ['linux'], name: 'shell' });
});

afterAll(() => bench.close());

interface Message {
  readonly id: string | null;
  readonly event: string;
  readonly data: unknown;
}

function messagesIn(text: string): readonly Message[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '' && !block.startsWith(':'))
    .map((block) => {
      const fields = new Map(
        block.split('\n').map((line): [string, string] => {
          const at = line.indexOf(': ');
          return [line.slice(0, at), line.slice(at + 2)];
        }),
      );
      return {
        id: fields.get('id') ?? null,
        event: fields.get('event') ?? '',
        data: JSON.parse(fields.get('data') ?? 'null'),
      };
    });
}

async function stream(id: string, { headers = {}, query = '' } = {}): Promise<readonly Message[]> {
  const answer = await server.call('GET', `/workflows/${id}/status`, {
    query,
    headers: { ...ACCEPT, ...headers },
  });
  expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  return messagesIn(answer.text);
}

test('of a run that is over has all events, numbered, and its end', async () => {
  const id = await start(
    server,
    oneJob(
      'over',
      Array.from({ length: 40 }, () => sh('echo x')),
    ),
  );
  expect(await ended(server, id)).toBe('DONE');
  const events = await allEvents(server, id);
  const messages = await stream(id);
  expect(messages).toEqual([
    ...events.map((data, index) => ({ id: String(index + 1), event: 'event', data })),
    { id: null, event: 'end', data: { status: 'DONE' } },
  ]);
});

test('goes on behind the last event that a reader names', async () => {
  const id = await start(server, oneJob('resumed', [sh('true')]));
  expect(await ended(server, id)).toBe('DONE');
  const events = await allEvents(server, id);
  const rest = await stream(id, { headers: { 'last-event-id': '3' } });
  expect(rest.map((message) => message.id)).toEqual([
    ...events.slice(3).map((_, index) => String(index + 4)),
    null,
  ]);
  for (const lastId of ['nonsense', '-1', '1e9', '', '0']) {
    const [first] = await stream(id, { headers: { 'last-event-id': lastId } });
    expect(first?.id, lastId).toBe(lastId === '1e9' ? null : '1');
  }
});

test('has only the events that are chosen', async () => {
  const id = await start(server, oneJob('chosen', [sh('exit 1')]));
  expect(await ended(server, id)).toBe('FAILED');
  const messages = await stream(id, { query: 'fieldSelector=kind+in+(Workflow,WorkflowCanceled)' });
  expect(messages.map(({ data }) => (data as { kind?: string }).kind)).toEqual([
    'Workflow',
    'WorkflowCanceled',
    undefined,
  ]);
  expect(messages.at(-1)).toEqual({ id: null, event: 'end', data: { status: 'FAILED' } });
});

test('tells many readers the same while the run goes on', async () => {
  const gate = createGate(bench);
  const id = await start(server, oneJob('watched', [gate.step]));
  await logged(server, id, '] held\n');
  const readers = Array.from({ length: 20 }, () => stream(id));
  await gate.open();
  const [first, ...others] = await Promise.all(readers);
  for (const other of others) expect(other).toEqual(first);
  expect(first?.at(-1)).toMatchObject({ event: 'end' });
});

test('of readers that go away does not hold the run', async () => {
  const id = await start(server, oneJob('left', [sh('true')], { 'runs-on': 'nowhere' }));
  for (let reader = 0; reader < 10; reader++) {
    const controller = new AbortController();
    const answer = await fetch(`${server.url}/workflows/${id}/status`, {
      headers: { ...ACCEPT, authorization: `Bearer ${server.token}` },
      signal: controller.signal,
    });
    await answer.body?.getReader().read();
    controller.abort();
  }
  await server.call('DELETE', `/workflows/${id}`);
  expect((await stream(id)).at(-1)).toEqual({ id: null, event: 'end', data: { status: 'FAILED' } });
});

test('of an unknown workflow, or with a wrong selector, is a refusal like any other', async () => {
  const unknown = await server.call('GET', `/workflows/${UNKNOWN}/status`, { headers: ACCEPT });
  expect(bodyOf(unknown)).toMatchObject({ kind: 'Status', code: 404 });
  const id = await start(server, oneJob('wrong', [sh('true')]));
  const query = 'fieldSelector=(';
  const wrong = await server.call('GET', `/workflows/${id}/status`, { query, headers: ACCEPT });
  expect(bodyOf(wrong)).toMatchObject({ kind: 'Status', code: 422 });
});

test('ends when the server stops', async () => {
  const other = await bench.server();
  const id = await start(other, oneJob('stopped', [sh('true')], { 'runs-on': 'nowhere' }));
  const reader = await fetch(`${other.url}/workflows/${id}/status`, {
    headers: { ...ACCEPT, authorization: `Bearer ${other.token}` },
  });
  await other.child.kill('SIGTERM');
  expect(messagesIn(await reader.text())[0]).toMatchObject({ id: '1', event: 'event' });
});
