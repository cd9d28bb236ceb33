import { createClient } from '@tutti/client';
import { status } from '@tutti/manifests';
import { createRunLog, type RunLog, START_MS } from '@tutti/run-view/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Io, StopSignal } from '../terminal/io.ts';
import { createPaint } from '../terminal/style.ts';
import { followRun } from './follow-run.ts';

/** A server with one run. It sends the events, then the end when the test allows it. `again` is the log of the next request. */
function createRunServer(
  log: RunLog,
  end: 'DONE' | 'FAILED',
  testcases: () => Response | Promise<Response>,
  again: RunLog = log,
) {
  let shown = log;
  const encoder = new TextEncoder();
  const canceled = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const shownBy = (event: object, index: number) =>
    encoder.encode(`id: ${index + 1}\nevent: event\ndata: ${JSON.stringify(event)}\n\n`);

  function stream(): Response {
    const { events } = shown;
    shown = again;
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        for (const [index, event] of events.entries()) controller.enqueue(shownBy(event, index));
        await mayEnd.promise;
        controller.enqueue(encoder.encode(`event: end\ndata: {"status":"${end}"}\n\n`));
        controller.close();
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  }

  const client = createClient({
    baseUrl: 'http://server',
    sleep: async () => {},
    fetch: async (input, init) => {
      if (init?.method === 'DELETE') {
        canceled.resolve();
        return Response.json(status('OK', 'Workflow w canceled.'));
      }
      return String(input).includes('datasources') ? testcases() : stream();
    },
  });
  return { client, canceled: canceled.promise, end: () => mayEnd.resolve() };
}

function createTestIo() {
  const stops: ((signal: StopSignal) => void)[] = [];
  const exits: number[] = [];
  let written = '';
  let complaints = '';
  const io: Io = {
    command: 'tutti',
    env: {},
    screen: {
      write: (text) => {
        written += text;
      },
      isTerminal: false,
      hasColors: false,
      paint: createPaint(false),
      columns: () => 80,
    },
    input: (async function* () {})(),
    complain: (text) => {
      complaints += text;
    },
    drained: async () => {},
    now: () => START_MS,
    onStop: (handler) => {
      stops.push(handler);
      return () => void stops.pop();
    },
    onTick: () => () => {},
    outliveReaders: () => {},
    exit: (code) => void exits.push(code),
  };
  const stop = () => {
    for (const handler of stops) handler('SIGINT');
  };
  return { io, stop, exits, stops, written: () => written, complaints: () => complaints };
}

const steps = [{ id: 's1', run: 'true' }];
const noTestCases = () => Response.json(status('OK', '', { items: [], status: 'COMPLETE' }));

test('the status of the run is the result, and no signal handler remains', async () => {
  const server = createRunServer(createRunLog({ a: { steps } }), 'DONE', noTestCases);
  const { io, stops, written } = createTestIo();
  server.end();
  expect(await followRun(server.client, 'w', {}, io)).toBe('DONE');
  expect(written()).toContain('Workflow "nightly" in namespace default');
  expect(written()).toContain('Result: NOTEST, no test results.');
  expect(stops).toEqual([]);
});

test('a run that failed in time is not late because its results are', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const isAsked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Response>();
  const testcases = () => {
    isAsked.resolve();
    return answer.promise;
  };
  const server = createRunServer(createRunLog({ a: { steps } }), 'FAILED', testcases);
  const { io, complaints } = createTestIo();
  const options = { timeout: 1_000, cancelOnTimeout: true };
  const following = followRun(server.client, 'w', options, io);
  server.end();
  await isAsked.promise;
  vi.advanceTimersByTime(2_000);
  answer.resolve(noTestCases());
  expect([await following, complaints()]).toEqual(['FAILED', '']);
});

test('a first request to stop cancels the run and follows on, a second one leaves', async () => {
  const server = createRunServer(createRunLog({ a: { steps } }), 'FAILED', noTestCases);
  const { io, stop, exits, written, complaints } = createTestIo();
  const following = followRun(server.client, 'w', {}, io);
  stop();
  await server.canceled;
  expect(exits).toEqual([]);
  expect(written()).toContain('Asking the server to cancel the workflow');
  stop();
  expect(exits).toEqual([130]);
  expect(complaints()).toBe('Left; workflow w may still be ending.\n');
  server.end();
  expect(await following).toBe('FAILED');
});

test('a run that is outdated is canceled once, and a first request to stop does not leave it', async () => {
  const server = createRunServer(createRunLog({ a: { steps } }), 'FAILED', noTestCases);
  const { io, stop, exits, written } = createTestIo();
  const outdated = new AbortController();
  const following = followRun(server.client, 'w', { outdated: outdated.signal }, io);
  outdated.abort();
  await server.canceled;
  stop();
  expect(exits).toEqual([]);
  stop();
  expect(exits).toEqual([130]);
  server.end();
  await following;
  expect(written().match(/^Files changed: .*$/gm)).toEqual([
    'Files changed: the workflow is canceled, to run again.',
  ]);
});

test('a server without test cases leaves the result to the run', async () => {
  const refused = () => Response.json(status('NotFound', 'No such address.'), { status: 404 });
  const server = createRunServer(createRunLog({ a: { steps } }), 'FAILED', refused);
  const { io, written } = createTestIo();
  server.end();
  expect(await followRun(server.client, 'w', {}, io)).toBe('FAILED');
  expect(written()).toContain('\n\nResult: FAILURE, no test results.');
});

test('incomplete reports are listed after the result', async () => {
  const warnings = ['Report "a.xml"\u001b[31m is broken.', 'And 1 more.'];
  const details = { items: [], status: 'COMPLETE', warnings };
  const answer = () => Response.json(status('OK', '', details));
  const server = createRunServer(createRunLog({ a: { steps } }), 'DONE', answer);
  const { io, written, complaints } = createTestIo();
  server.end();
  expect(await followRun(server.client, 'w', {}, io)).toBe('DONE');
  expect(written()).toContain('Result: NOTEST, no test results could be read.');
  expect(written()).not.toContain('broken');
  expect(complaints()).toMatch(/^tutti: Report "a\.xml".* is broken\.\ntutti: And 1 more\.\n$/);
  expect(complaints()).not.toContain('\u001b');
});

test('text that a later step masked is shown masked from then on, wherever it repeats', async () => {
  const logWith = (secret: string): RunLog => {
    const log = createRunLog({
      a: {
        steps: [
          { id: 's1', run: `login ${secret}` },
          { id: 's2', run: `echo using ${secret}; exit 1` },
          { id: 's3', name: `Logout of ${secret}`, run: 'exit 1', if: 'always()' },
        ],
      },
    });
    log.request('a');
    log.offer('a');
    log.step('a', 's1', `login ${secret}`);
    log.doneMasking('a', 's1', 1);
    log.step('a', 's2', 'echo using ***; exit 1');
    log.done('a', 's2', 1);
    log.step('a', 's3', 'exit 1');
    log.done('a', 's3', 1);
    return log;
  };
  const server = createRunServer(logWith('S3cretXY'), 'FAILED', noTestCases, logWith('***'));
  const { io, written } = createTestIo();
  server.end();
  await followRun(server.client, 'w', {}, io);
  const [title, ...rest] = written().split('login S3cretXY');
  expect(title).toContain('nightly');
  expect(rest).toHaveLength(1);
  expect(rest.join()).not.toContain('S3cretXY');
  for (const text of ['login ***', 'echo using ***; exit 1', 'Logout of ***']) {
    expect(rest.join().split(text).length).toBeGreaterThan(2);
  }
});
