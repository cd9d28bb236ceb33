import { createRunLog, START_MS } from '@tutti/run-view/testing';
import { expect, test } from 'vitest';
import { openPresenter } from '../start/open-presenter.ts';
import { runCommand } from '../testing/run-command.ts';
import { createTestTerminal } from '../testing/terminal.ts';
import { createDebugFetch, isDebugging, traceText, withDebugOption } from './debug.ts';
import type { Io } from './io.ts';
import { createPaint } from './style.ts';

test.each([
  [{}, false],
  [{ TUTTI_DEBUG: '' }, false],
  [{ TUTTI_DEBUG: '0' }, false],
  [{ TUTTI_DEBUG: '1' }, true],
  [{ TUTTI_DEBUG: 'true' }, true],
])('%o debugs: %s', (env, expected) => {
  expect(isDebugging(env)).toBe(expected);
});

test.each([
  [['status', '--debug'], true],
  [['--debug', 'status'], true],
  [['status'], false],
  [['validate', '--', '--debug'], false],
])('%o debugs: %s', (argv, expected) => {
  const io = { env: {} } as unknown as Io; // The rest is not read.
  expect(isDebugging(withDebugOption(argv, io).env)).toBe(expected);
});

function debugFetch(inner: Parameters<typeof createDebugFetch>[0]) {
  let printed = '';
  const times = [100, 112];
  const io = {
    complain: (text: string) => {
      printed += text;
    },
    now: () => times.shift() ?? 0,
  } as unknown as Io; // The rest is not used.
  return { fetch: createDebugFetch(inner, io), printed: () => printed };
}

const REQUEST = { method: 'GET', headers: { authorization: 'Bearer SECRET' }, signal: null };

test('a request is logged by method, address, status and time, without secrets', async () => {
  const { fetch, printed } = debugFetch(async () => new Response('', { status: 201 }));
  await fetch('http://me:PASSWORD@a.example/x?y=1', REQUEST);
  expect(printed()).toBe('debug: GET http://a.example/x?y=1 201, 12 ms\n');
});

test('a failed request is logged with its reason', async () => {
  const refused = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
  const { fetch, printed } = debugFetch(() => Promise.reject(refused));
  await expect(fetch('http://a.example/x', REQUEST)).rejects.toBe(refused);
  expect(printed()).toBe('debug: GET http://a.example/x failed (ECONNREFUSED), 12 ms\n');
});

test('a trace has the errors that led to it', () => {
  const text = traceText(new Error('outer', { cause: new TypeError('inner') }));
  expect(text).toMatch(/^debug: Error: outer\ndebug: {5}at /);
  expect(text).toContain('\ndebug: because of TypeError: inner\n');
});

const ARGS = ['workflows', '--server', 'http://127.0.0.1:1', '--token', 'T0KEN'];

test.each([
  [[...ARGS, '--debug'], {}],
  [ARGS, { TUTTI_DEBUG: '1' }],
])(
  'a refused connection is told with its request and its trace where %o, %o',
  async (args, env) => {
    const { code, stderr } = await runCommand(args, { env });
    expect(code).toBe(2);
    expect(stderr).toContain('debug: GET http://127.0.0.1:1/workflows');
    expect(stderr).toContain('tutti: The server http://127.0.0.1:1 cannot be reached.\n');
    expect(stderr).toMatch(/^debug: {5}at /m);
    expect(stderr).not.toContain('T0KEN');
  },
);

test('without it there is no trace', async () => {
  const { stderr } = await runCommand(ARGS);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(stderr).not.toContain('debug:');
});

const steps = [{ id: 's1', name: 'Test', run: 'make' }];

/** A running run on a terminal with both outputs, while a request is reported. */
async function beside(progress: 'tree' | 'line') {
  const terminal = createTestTerminal(60, 10);
  let written = '';
  const write = (text: string) => {
    written += text;
  };
  const io = {
    env: {},
    screen: {
      write,
      isTerminal: true,
      hasColors: false,
      paint: createPaint(false),
      columns: () => 60,
      rows: () => 10,
    },
    complain: write,
    now: () => START_MS + 5_000,
    onTick: () => () => {},
  } as unknown as Io; // The rest is not used.
  const presenter = await openPresenter({ progress, outputPrefix: '{job} ' }, io);
  const log = createRunLog({ a: { steps } });
  log.request('a');
  log.offer('a');
  for (const event of log.events.splice(0)) presenter.event(event);
  const ask = createDebugFetch(async () => new Response(''), io);
  return {
    presenter,
    ask: () => ask('http://a.example/x', REQUEST),
    async shown() {
      await terminal.write(written);
      written = '';
      return terminal.lines();
    },
  };
}

const ASKED = 'debug: GET http://a.example/x 200, 0 ms';

test.each([
  ['tree', ['0 of 1 job done · 5 s', '● a  running']],
  ['line', ['0 of 1 job done · 1 running · 5 s']],
] as const)(
  'requests are told above what is drawn in place, and behind it once it is gone: %s',
  async (progress, area) => {
    const run = await beside(progress);
    await run.ask();
    await run.shown();
    await run.ask();
    const lines = await run.shown();
    expect(lines.slice(-area.length - 1)).toEqual([ASKED, ...area]);
    expect(lines.filter((line) => area.some((row) => row === line))).toEqual(area);
    run.presenter.close();
    await run.ask();
    expect((await run.shown()).slice(-3)).toEqual([ASKED, ASKED, ASKED]);
  },
);
