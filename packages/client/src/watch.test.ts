import { OrchestratorError, status } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { createClient } from './client.ts';
import { isUnreachableError } from './unreachable-error.ts';
import { POLL_INTERVAL_MS, WATCH_ATTEMPTS_MAX, type WatchItem } from './watch.ts';

type Answer = (request: { readonly url: string; readonly headers: Headers }) => Response;

const event = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Notification',
  metadata: { name },
  spec: {},
});
const message = (id: number, name: string) =>
  `id: ${id}\nevent: event\ndata: ${JSON.stringify(event(name))}\n\n`;
const end = (status: string) => `event: end\ndata: {"status":"${status}"}\n\n`;

const stream = (...pieces: string[]): Response =>
  new Response(pieces.join(''), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  });

const page = (names: readonly string[], state: string, link?: string): Response =>
  Response.json(
    status('OK', '', { items: names.map(event), status: state }),
    link === undefined ? {} : { headers: { link } },
  );

const refused: Answer = () => {
  throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } });
};

/** A client whose server gives the answers in turn, the last one again and again. */
function clientOf(...answers: Answer[]) {
  const requests: { url: string; lastEventId: string | null }[] = [];
  const pauses: number[] = [];
  const client = createClient({
    baseUrl: 'http://server/',
    random: () => 1,
    sleep: async (ms) => {
      pauses.push(ms);
    },
    fetch: async (input, init) => {
      const headers = new Headers(init?.headers);
      requests.push({ url: String(input), lastEventId: headers.get('last-event-id') });
      const answer = answers[Math.min(requests.length, answers.length) - 1];
      if (answer === undefined) throw new Error('No answer was given to the test.');
      return answer({ url: String(input), headers });
    },
  });
  return { client, requests, pauses };
}

const brief = (item: WatchItem): string =>
  item.type === 'event'
    ? item.event.metadata.name
    : `${item.type} ${item.type === 'end' ? item.status : item.phase}`;

async function briefs(items: AsyncIterable<WatchItem>): Promise<string[]> {
  const seen: string[] = [];
  for await (const item of items) seen.push(brief(item));
  return seen;
}

test('a stream is followed to its end', async () => {
  const { client, requests } = clientOf(() =>
    stream(message(1, 'a'), message(2, 'b'), end('DONE')),
  );
  expect(await briefs(client.watch('w'))).toEqual(['a', 'b', 'end DONE']);
  expect(requests).toEqual([{ url: 'http://server/workflows/w/status', lastEventId: null }]);
});

test('a broken stream is taken up after the last event, without a word when it comes back at once', async () => {
  const { client, requests } = clientOf(
    () => stream(message(1, 'a'), message(2, 'b')),
    () => stream(message(3, 'c'), end('FAILED')),
  );
  expect(await briefs(client.watch('w'))).toEqual(['a', 'b', 'c', 'end FAILED']);
  expect(requests.map((request) => request.lastEventId)).toEqual([null, '2']);
});

test('a server that stays away is said to be lost once, and back once', async () => {
  const { client, pauses } = clientOf(
    () => stream(message(1, 'a')),
    refused,
    refused,
    refused,
    () => stream(message(2, 'b'), end('DONE')),
  );
  expect(await briefs(client.watch('w'))).toEqual([
    'a',
    'connection lost',
    'connection back',
    'b',
    'end DONE',
  ]);
  expect(pauses).toEqual([100, 200, 400, 800]);
});

test('a server that is lost again without an event in between is said to be lost again', async () => {
  const silent = () => stream();
  const { client } = clientOf(
    () => stream(message(1, 'a')),
    refused,
    silent,
    refused,
    () => stream(end('DONE')),
  );
  expect(await briefs(client.watch('w'))).toEqual([
    'a',
    'connection lost',
    'connection back',
    'connection lost',
    'connection back',
    'end DONE',
  ]);
});

// Bound: Retries of the client that follows a run.
test('a server that never comes back ends the watch with the reason', async () => {
  const { client, requests } = clientOf(() => stream(), refused);
  const error = await briefs(client.watch('w')).catch((cause: unknown) => cause);
  expect(isUnreachableError(error) && error.code).toBe('ECONNREFUSED');
  expect(requests).toHaveLength(WATCH_ATTEMPTS_MAX + 1);
});

const elsewhere: Answer = () => new Response('<html>', { status: 502 });

test.each([
  ['cannot be reached', refused],
  ['is no orchestrator', elsewhere],
])('a server that never answered and %s is not waited for', async (_, answer) => {
  const { client, requests } = clientOf(answer);
  await expect(client.watch('w').next()).rejects.toSatisfy(isUnreachableError);
  await expect(client.logs('w', { follow: true }).next()).rejects.toSatisfy(isUnreachableError);
  expect(requests).toHaveLength(2);
});

test.each([
  ['an answer', Response.json(status('OK', ''))],
  ['a refusal', Response.json(status('NotFound', 'No.'), { status: 404 })],
])('a server that cannot be reached is waited for after %s', async (_, answer) => {
  const last = () => stream(end('DONE'));
  const { client } = clientOf(() => answer, refused, refused, last);
  await client.ready().catch(() => null);
  expect(await briefs(client.watch('w'))).toEqual([
    'connection lost',
    'connection back',
    'end DONE',
  ]);
});

test('a refusal ends the watch at once', async () => {
  const body = status('NotFound', 'Workflow w not found.');
  const { client, requests } = clientOf(() => Response.json(body, { status: body.code }));
  const error = await briefs(client.watch('w')).catch((cause: unknown) => cause);
  expect(error).toEqual(new OrchestratorError('NotFound', 'Workflow w not found.'));
  expect(requests).toHaveLength(1);
});

test('a server without streams is asked for pages until the run has ended', async () => {
  const { client, requests, pauses } = clientOf(
    () => page(['a'], 'RUNNING'),
    () => page(['a'], 'RUNNING'),
    () => page(['a', 'b'], 'RUNNING'),
    () => page(['a', 'b', 'c'], 'DONE'),
  );
  expect(await briefs(client.watch('w'))).toEqual(['a', 'b', 'c', 'end DONE']);
  expect(pauses).toEqual([POLL_INTERVAL_MS, POLL_INTERVAL_MS]);
  expect(requests.at(-1)?.url).toBe('http://server/workflows/w/status?page=1&per_page=1000');
});

test('pages are followed in order and none is read twice', async () => {
  const first = Array.from({ length: 1000 }, (_, index) => `e${index}`);
  const link = '<http://elsewhere/workflows/w/status?page=2>; rel="next"';
  const { client, requests } = clientOf(({ url }) =>
    url.includes('page=2') ? page(['last'], 'FAILED') : page(first, 'FAILED', link),
  );
  expect(await briefs(client.watch('w'))).toEqual([...first, 'last', 'end FAILED']);
  expect(requests).toHaveLength(3);
});

test('events of every kind are given, also of kinds that only a plugin knows', async () => {
  const kinds = ['GeneratorCommand', 'GeneratorResult', 'Custom'];
  const messages = kinds.map((kind, index) => {
    const data = JSON.stringify({ kind, metadata: { name: kind } });
    return `id: ${index + 1}\nevent: event\ndata: ${data}\n\n`;
  });
  const { client } = clientOf(() => stream(...messages, end('DONE')));
  expect(await briefs(client.watch('w'))).toEqual([...kinds, 'end DONE']);
});

test('a line that is no event is skipped and still counted', async () => {
  const unknown = 'id: 2\nevent: event\ndata: {"kind":"Later"}\n\n';
  const { client, requests } = clientOf(
    () => stream(message(1, 'a'), unknown),
    () => stream(message(3, 'b'), end('DONE')),
  );
  expect(await briefs(client.watch('w'))).toEqual(['a', 'b', 'end DONE']);
  expect(requests[1]?.lastEventId).toBe('2');
});

test('an aborted signal ends the watch with its reason', async () => {
  const { client } = clientOf(() => stream(message(1, 'a')));
  const controller = new AbortController();
  const seen: string[] = [];
  const watching = (async () => {
    for await (const item of client.watch('w', { signal: controller.signal })) {
      seen.push(brief(item));
      controller.abort(new Error('enough'));
    }
  })();
  await expect(watching).rejects.toThrow('enough');
  expect(seen).toEqual(['a']);
});
