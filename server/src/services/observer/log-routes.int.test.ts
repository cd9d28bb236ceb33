/** Followers of a log over real connections, with a store whose log the test extends (specification 4.5). */
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import {
  formatTimestamp,
  type LoggedEvent,
  type OtherEvent,
  type WorkflowId,
} from '@tutti/manifests';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { NO_ACCESS } from '../../auth/access.ts';
import { createAnswerMemory } from '../../http/answer-memory.ts';
import { LASTING_GRANT } from '../../http/held-request.ts';
import type { WorkflowRow } from '../../store/store.ts';
import { followLog } from './log-routes.ts';
import { EventFeed } from './open-answer.ts';

const ID = '11111111-2222-4333-8444-555555555555' as WorkflowId;
const AT = formatTimestamp(0);
const NEWS: OtherEvent = {
  kind: 'Custom',
  metadata: { name: 'n', workflow_id: ID, namespace: 'default', creationTimestamp: AT },
};

/** The log of one run in memory; `tell` appends and wakes followers, as a commit does. */
class GrowingLog {
  live = true;
  isKnown = true;
  /** Number of bytes read. */
  read = 0;
  /** Number of reads. */
  reads = 0;
  #bytes = Buffer.alloc(0);
  #heard: (event: LoggedEvent, seq: number) => void = () => undefined;

  readonly bus = {
    subscribeAll: (heard: (event: LoggedEvent, seq: number) => void) => {
      this.#heard = heard;
      return () => undefined;
    },
  };

  readonly store = {
    workflow: async (): Promise<WorkflowRow | null> => (this.isKnown ? this.#row() : null),
    log: async (_id: WorkflowId, start: number, end: number) => {
      const bytes = this.#bytes.subarray(start, end);
      this.read += bytes.length;
      this.reads += 1;
      return { bytes, total: this.#bytes.length };
    },
    followLog: () => () => undefined,
  };

  report(text: string): void {
    this.#bytes = Buffer.concat([this.#bytes, Buffer.from(text)]);
    this.#heard(NEWS, 1);
  }

  end(): void {
    this.live = false;
    this.report('');
  }

  #row(): WorkflowRow {
    const ended = { status: 'RUNNING', live: this.live, workers: [], completedAt: null } as const;
    return { workflowId: ID, name: 'n', namespace: 'default', createdAt: AT, ...ended };
  }
}

async function setUp(followers = 10, from = 0) {
  const log = new GrowingLog();
  const feed = new EventFeed(log.bus, { followers, subjectShare: 1, namespaceShare: 1 });
  const app = Fastify({ connectionTimeout: 60_000 });
  app.decorateRequest('grant', { getter: () => LASTING_GRANT });
  app.decorate('answerMemory', createAnswerMemory(1024 * 1024));
  app.decorateRequest('access');
  app.addHook('onRequest', async (request) => {
    request.access = { ...NO_ACCESS, subject: 'alice', namespaces: () => '*' };
  });
  app.get('/log', (_request, reply) =>
    followLog({ store: log.store, feed, workflowId: ID, from }, reply),
  );
  const late = Promise.withResolvers<void>();
  // Answers only once its reader has left.
  app.get('/late', async (_request, reply) => {
    await once(reply.raw, 'close');
    const answer = followLog({ store: log.store, feed, workflowId: ID, from }, reply);
    late.resolve();
    return await answer;
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(async () => {
    feed.close();
    // A client may hold connections that it never used.
    app.server.closeAllConnections();
    await app.close();
  });
  const { port } = app.server.address() as AddressInfo;
  return { log, feed, port, url: `http://127.0.0.1:${port}/log`, late: late.promise };
}

/** Answers the pieces of the body one by one. */
async function reader(url: string) {
  const response = await fetch(url);
  const body = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (body === undefined) throw new Error('The answer has no body.');
  const next = async () => (await body.read()).value ?? null;
  return { response, next };
}

// HTTP 4.5: Logs: streaming, as the run goes on, to its end.
test('4.5: a follower gets what comes when it comes, and the end with the run', async () => {
  const { log, url } = await setUp();
  log.report('one\n');
  const { response, next } = await reader(url);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(response.headers.get('transfer-encoding')).toBe('chunked');
  expect(await next()).toBe('one\n');
  log.report('two\n');
  expect(await next()).toBe('two\n');
  log.report('three\n');
  log.end();
  expect(await next()).toBe('three\n');
  expect(await next()).toBeNull();
});

test('a follower behind the beginning gets the rest, and the store reads no more', async () => {
  const { log, url } = await setUp(10, 4);
  log.report('one\ntwo\n');
  const { next } = await reader(url);
  expect(await next()).toBe('two\n');
  expect(log.read).toBe(4);
  log.report('three\n');
  expect(await next()).toBe('three\n');
});

test.each<[string, (parts: { log: GrowingLog; feed: EventFeed }) => void]>([
  ['the server stops', ({ feed }) => feed.close()],
  [
    'the run is forgotten',
    ({ log }) => {
      log.isKnown = false;
      log.report('');
    },
  ],
])('an answer breaks off when %s, so that it cannot be taken for whole', async (_, happens) => {
  const { log, feed, url } = await setUp();
  log.report('one\n');
  const { next } = await reader(url);
  expect(await next()).toBe('one\n');
  happens({ log, feed });
  await expect(next()).rejects.toThrow('terminated');
});

// HTTP 4.5: Logs: streaming, as the run goes on, to its end.
// Bound: Memory of an answer that the client does not read.
test('a reader that takes nothing is waited for, and its log is not read meanwhile', async () => {
  const { log, port, url } = await setUp();
  const size = 64 * 1024 * 1024;
  log.report('x'.repeat(size));
  const slow = connect(port, '127.0.0.1').pause();
  onTestFinished(() => void slow.destroy());
  slow.write('GET /log HTTP/1.1\r\nHost: x\r\n\r\n');
  // A quick reader beside it, which has read to the end when the slow one has long been waited for.
  log.end();
  const quick = await fetch(url);
  expect((await quick.text()).length).toBe(size);
  expect(log.read).toBeLessThan(size * 1.5);
});

test('when many readers are woken, one reads in each turn of the event loop', async () => {
  const { log, url } = await setUp();
  log.report('one\n');
  const readers = await Promise.all(Array.from({ length: 8 }, () => reader(url)));
  for (const { next } of readers) expect(await next()).toBe('one\n');
  log.report('two\n');
  const shownBy = Promise.all(readers.map(({ next }) => next()));
  let isReported = false;
  void shownBy.then(() => {
    isReported = true;
  });
  const ofTurns: number[] = [];
  for (let before = log.reads; !isReported; before = log.reads) {
    await turn();
    ofTurns.push(log.reads - before);
  }
  expect(await shownBy).toEqual(Array(8).fill('two\n'));
  expect(Math.max(...ofTurns)).toBe(1);
});

test('a reader that leaves makes room for another one', async () => {
  const { log, url } = await setUp(1);
  log.report('one\n');
  const status = async () => (await fetch(url)).status;
  const leaving = new AbortController();
  const first = await fetch(url, { signal: leaving.signal });
  expect(await status()).toBe(500);
  await first.body?.getReader().read();
  leaving.abort();
  await expect.poll(status, { timeout: 20_000 }).toBe(200);
});

test('a reader that left before its answer began makes room, too', async () => {
  const { log, port, url, late } = await setUp(1);
  log.report('one\n');
  const early = connect(port, '127.0.0.1');
  early.write('GET /late HTTP/1.1\r\nHost: x\r\n\r\n', () => early.destroy());
  await late;
  await expect.poll(async () => (await fetch(url)).status, { timeout: 20_000 }).toBe(200);
});
