import { describe, expect, test } from 'vitest';
import { createLogger, type LogLevel } from '../runtime/logger.ts';
import { createTestApp } from './testing.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** An app that logs from a level on, and its log lines. */
async function createLoggedApp(level: LogLevel) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const fixture = await createTestApp({
    routes: [
      (app) => {
        for (const path of ['/bug', '/bug/:workflow_id/of/:agent_id']) {
          app.get(path, async () => {
            throw new Error('a bug');
          });
        }
      },
    ],
    logger: createLogger({ level, destination }),
  });
  const call = (url: string, headers: Readonly<Record<string, string>> = {}) =>
    fixture.app.inject({ url, headers: { authorization: fixture.admin, ...headers } });
  return { call, lines, authority: fixture.authority };
}

describe('the id of a request', () => {
  test.each(['4711', 'trace/1:2@host=x+y', 'a'.repeat(128)])('is the given one: %s', async (id) => {
    const { call } = await createLoggedApp('silent');
    const answer = await call('/health', { 'x-request-id': id });
    expect(answer.headers['x-request-id']).toBe(id);
  });

  test.each(['', 'a b', 'a"b', 'a'.repeat(129), '\u00e9'])(
    'is a new one instead of %j',
    async (id) => {
      const { call } = await createLoggedApp('silent');
      const answer = await call('/health', { 'x-request-id': id });
      expect(answer.headers['x-request-id']).toMatch(UUID);
    },
  );

  test.each(['/nowhere', '/%zz', '/bug'])('is in the answer to %s, too', async (url) => {
    const { call } = await createLoggedApp('silent');
    const answer = await call(url, { 'x-request-id': 'mine' });
    expect(answer.headers['x-request-id']).toBe('mine');
  });

  test('is in the log of a failure', async () => {
    const { call, lines } = await createLoggedApp('info');
    await call('/bug', { 'x-request-id': 'mine' });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ requestId: 'mine', msg: 'request failed', path: '/bug' }),
    ]);
  });
});

test('a failure is logged with the token of the request, escaped', async () => {
  const { call, lines, authority } = await createLoggedApp('info');
  await call('/bug');
  const authorization = await authority.bearer({ sub: 'eve\u001b[2J' });
  await call('/bug', { authorization });
  const key = expect.any(String);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { subject: 'alice', key, msg: 'request failed' },
    { subject: 'eve\\u{1b}[2J', key, msg: 'request failed' },
  ]);
});

test('a failure is logged with the ids in the path', async () => {
  const { call, lines } = await createLoggedApp('info');
  await call('/bug/run-1/of/agent-2');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ workflowId: 'run-1', agentId: 'agent-2', msg: 'request failed' }),
  ]);
});

describe('times', () => {
  test('are shown in debug mode, in the answer and in the log', async () => {
    const { call, lines } = await createLoggedApp('debug');
    const answer = await call('/health?secret=x', { 'x-request-id': 'mine' });
    expect(answer.headers['server-timing']).toMatch(/^total;dur=\d+\.\d$/);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        level: 'debug',
        time: expect.any(String),
        requestId: 'mine',
        method: 'GET',
        path: '/health',
        code: 200,
        ms: expect.any(Number),
        msg: 'request',
      },
    ]);
  });

  test('are hidden otherwise', async () => {
    const { call, lines } = await createLoggedApp('info');
    expect((await call('/health')).headers).not.toHaveProperty('server-timing');
    expect(lines).toEqual([]);
  });
});
