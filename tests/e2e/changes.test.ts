/** `GET /changes`: pages learn what to ask for again. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openTeams, type Teams } from '../security/teams.ts';
import { type Api, bodyOf, detailsOf, type Loose } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { ended, oneJob, sh, start, workersEnded } from '../support/runs.ts';
import type { ServerChild } from '../support/workbench.ts';

let teams: Teams;
let server: ServerChild;

beforeAll(async () => {
  teams = await openTeams();
  ({ server } = teams);
  await teams.bench.agent(server, { tags: ['linux'], namespaces: '*' });
});

afterAll(() => teams?.bench.close());

interface Message {
  readonly id: string;
  readonly event: string;
  readonly data: Readonly<Record<string, Loose>>;
}

/** A stream of changes, as a browser reads it. */
async function opened({ url, token }: ServerChild, topics: string, last: string | null = null) {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const answer = await fetch(`${url}/changes?topics=${topics}`, {
    signal: controller.signal,
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${token}`,
      ...(last === null ? {} : { 'last-event-id': last }),
    },
  });
  const messages: Message[] = [];
  const read = async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const bytes of answer.body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) {
        const fields = Object.fromEntries(
          part.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)),
        );
        if (fields.event !== undefined) messages.push({ ...fields, data: JSON.parse(fields.data) });
      }
    }
  };
  // Ends with the server, or with the test.
  const over = read().catch(() => undefined);
  const saw = (topic: string, isThat: (news: Loose) => boolean) =>
    eventually(`news of ${topic}`, async () =>
      messages.some(({ data }) => data[topic] !== undefined && isThat(data[topic])),
    );
  return { messages, saw, over, leave: () => controller.abort() };
}

const at = async (api: Api, query: string) =>
  detailsOf(await api.call('GET', '/changes', { query }));

test('a page learns of runs, of the queue and of environments', async () => {
  const { messages, saw } = await opened(server, 'runs,runs:theirs,queue,environments');
  await eventually('the first message', async () => messages.length > 0);
  expect(messages[0]).toMatchObject({ event: 'reset', data: {} });
  const id = await start(server, oneJob('a', [sh('true')]));
  await saw('runs', ({ ids }) => Array.isArray(ids) && ids.includes(id));
  await saw('queue', () => true);
  await saw('environments', () => true);
  await ended(server, id);
  expect(messages.some(({ data }) => data['runs:theirs'] !== undefined)).toBe(false);
  const theirs = await start(server, oneJob('b', [sh('true')]), 'namespace=theirs');
  await saw('runs:theirs', ({ ids }) => Array.isArray(ids) && ids.includes(theirs));
  await ended(server, theirs);
  await workersEnded(server, theirs);
  const removed = await server.call('DELETE', `/workflows/${theirs}/history`);
  expect(bodyOf(removed)).toMatchObject({ code: 200 });
  await saw('runs:theirs', ({ ids }) => ids === null);
});

test('a page follows one run, and goes on after a break', async () => {
  const id = await start(server, oneJob('long', [sh('true')], { 'runs-on': 'later' }));
  const topic = `run:${id}`;
  const first = await opened(server, topic);
  await eventually('the first message', async () => first.messages.length > 0);
  first.leave();
  const position = first.messages.at(-1)?.id ?? '';
  await teams.bench.agent(server, { tags: ['later'] });
  expect(await ended(server, id)).toBe('DONE');
  const events = await server.call('GET', `/workflows/${id}/status`, { query: 'per_page=1' });
  const total = Number(/page=(\d+)[^>]*>; rel="last"/.exec(events.headers.get('link') ?? '')?.[1]);
  const second = await opened(server, topic, position);
  await second.saw(topic, ({ seq }) => Number(seq) >= total);
  expect(second.messages.every(({ event }) => event === 'changes')).toBe(true);
});

test('programs ask for changes behind a position', async () => {
  const first = await at(server, 'topics=runs');
  expect(first).toMatchObject({ reset: true, changes: {} });
  expect(await at(server, `topics=runs&after=${first.position}`)).toMatchObject({
    reset: false,
    changes: {},
  });
  const id = await start(server, oneJob('c', [sh('true')]));
  const { position, changes } = await at(server, `topics=runs&after=${first.position}`);
  expect(changes).toMatchObject({ runs: { ids: [id] } });
  await ended(server, id);
  expect(await at(server, `topics=queue&after=${position}`)).toMatchObject({ reset: false });
});

test('a caller learns only of what it may see', async () => {
  const id = await start(server, oneJob('d', [sh('true')]));
  await ended(server, id);
  const theirs = teams.as('eve', { namespaces: ['theirs'] });
  const { position } = await at(theirs, 'topics=runs');
  const hidden = await start(server, oneJob('e', [sh('true')]));
  await ended(server, hidden);
  expect(await at(theirs, `topics=runs,queue&after=${position}`)).toMatchObject({ changes: {} });
  for (const topic of [`run:${id}`, 'runs:default', 'queue:default']) {
    const refused = await theirs.call('GET', '/changes', { query: `topics=${topic}` });
    expect(bodyOf(refused)).toMatchObject({ code: 403 });
  }
});

test.each([
  '',
  'topics=',
  'topics=all',
  'topics=environments:x',
  `topics=${Array.from({ length: 33 }, (_, name) => `runs:${name}`)}`,
])('refuses %s', async (query) => {
  expect(bodyOf(await server.call('GET', '/changes', { query }))).toMatchObject({ code: 422 });
});

test('an unknown run is not found', async () => {
  const query = 'topics=run:00000000-0000-4000-8000-000000000000';
  expect(bodyOf(await server.call('GET', '/changes', { query }))).toMatchObject({ code: 404 });
});

test('a page learns of a restart, and streams end with the server', async () => {
  const own = await teams.bench.server();
  const stream = await opened(own, 'runs');
  await eventually('the first message', async () => stream.messages.length > 0);
  await own.child.kill('SIGTERM');
  await stream.over;
  const again = await teams.bench.server({ dataDir: own.dataDir });
  const back = await opened(again, 'runs', stream.messages.at(-1)?.id ?? '');
  await eventually('the first message', async () => back.messages.length > 0);
  expect(back.messages[0]).toMatchObject({ event: 'reset' });
});
