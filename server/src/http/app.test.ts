import { OrchestratorError } from '@tutti/manifests';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLogger } from '../runtime/logger.ts';
import { readBounded } from './bodies.ts';
import type { Routes } from './routes.ts';
import { createTestApp, type TestApp } from './testing.ts';

const LIST = { resource: 'workflows', verb: 'list' } as const;

const full = { cause: new Error('no space') };
const PASSING: Readonly<Record<string, OrchestratorError>> = {
  many: new OrchestratorError('TooManyRequests', 'Later.'),
  busy: new OrchestratorError('ServiceUnavailable', 'Later.'),
  soon: new OrchestratorError('ServiceUnavailable', 'Later.', { retryAfterSeconds: 1 }),
  full: new OrchestratorError('ServiceUnavailable', 'Full.', full),
  never: new OrchestratorError('Conflict', 'No.', { retryAfterSeconds: 1 }),
};

const routes: Routes = (app) => {
  app.get('/workflows', { config: { access: LIST } }, (request) => ({
    subject: request.access.subject,
    url: request.originalUrl,
  }));
  app.get('/workflows/:workflow_id/status', () => ({ ok: true }));
  app.post('/echo', (request) => ({ body: request.body ?? null }));
  app.delete('/echo', (request) => ({ body: request.body ?? null }));
  app.post('/bytes', { config: { body: 'bytes' } }, (request) => ({
    length: Buffer.isBuffer(request.body) ? request.body.length : -1,
  }));
  app.post('/stream', { config: { body: 'stream' } }, async (request) => {
    const content = await readBounded(request.raw, () => new Error('too large'), 1e9);
    return { length: content.length };
  });
  app.get('/open', { config: { access: 'none' } }, (request) => ({
    subject: request.access.subject,
  }));
  app.get('/refusal', () => {
    throw new OrchestratorError('Conflict', 'No.', { details: { error: 'because' } });
  });
  app.get<{ Params: { what: string } }>('/passing/:what', ({ params }) => {
    throw PASSING[params.what];
  });
  app.get('/bug', async () => {
    throw new Error('secret detail');
  });
};

let fixture: TestApp;
const logged: string[] = [];
beforeAll(async () => {
  const destination = { write: (line: string) => void logged.push(line) };
  fixture = await createTestApp({
    routes: [routes],
    config: { limits: { bodyBytes: 1024 } },
    logger: createLogger({ level: 'info', destination }),
  });
});
afterAll(() => fixture.app.close());

interface Call {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly headers?: Record<string, string>;
  readonly payload?: string | Buffer;
}

const call = (url: string, { method = 'GET', headers = {}, ...rest }: Call = {}) =>
  fixture.app.inject({
    url,
    method,
    headers: { authorization: fixture.admin, ...headers },
    ...rest,
  });

const failure = (code: number, reason: string, message: unknown, details: unknown = null) => ({
  apiVersion: 'v1',
  kind: 'Status',
  metadata: {},
  message,
  status: 'Failure',
  reason,
  code,
  details,
});

describe('a refusal that passes says when to try again', () => {
  test.each([
    ['many', 429, '5'],
    ['busy', 503, '5'],
    ['soon', 503, '1'],
    ['never', 409, undefined],
  ])('%s', async (name, code, expected) => {
    const { statusCode, headers } = await call(`/passing/${name}`);
    expect([statusCode, headers['retry-after']]).toEqual([code, expected]);
  });

  test('overload is not logged, problems of the machine are', async () => {
    logged.length = 0;
    await call('/passing/soon');
    expect(logged).toEqual([]);
    expect((await call('/passing/full')).headers['retry-after']).toBe('5');
    expect(logged.join('')).toContain('no space');
  });
});

// HTTP 2.1: A Status manifest has all eight fields, in success and in failure.
// HTTP 7: Each reason has its code.
describe('every failure is a Status manifest with all eight fields', () => {
  const json = { 'content-type': 'application/json' };
  test.each<[string, string, Call, ReturnType<typeof failure>]>([
    ['a refusal', '/refusal', {}, failure(409, 'Conflict', 'No.', { error: 'because' })],
    ['a bug', '/bug', {}, failure(500, 'InternalError', 'Internal error.')],
    ['an unknown path', '/nowhere', {}, failure(404, 'NotFound', 'No such path: /nowhere')],
    [
      'an unknown path, whatever the body',
      '/nowhere',
      { method: 'POST', headers: json, payload: '{"a":' },
      failure(404, 'NotFound', 'No such path: /nowhere'),
    ],
    [
      'another method',
      '/workflows',
      { method: 'PUT' },
      failure(405, 'MethodNotAllowed', 'PUT is not possible on /workflows, only GET, HEAD.'),
    ],
    [
      'a method that nothing here knows, without the content type that it needs',
      '/workflows',
      { method: 'QUERY' as 'GET' },
      failure(405, 'MethodNotAllowed', 'QUERY is not possible on /workflows, only GET, HEAD.'),
    ],
    [
      'another method on a path with an id',
      '/workflows/1/status',
      { method: 'DELETE' },
      failure(
        405,
        'MethodNotAllowed',
        'DELETE is not possible on /workflows/1/status, only GET, HEAD.',
      ),
    ],
    [
      'a bad percent encoding',
      '/workflows/%E0%A4%A/status',
      {},
      failure(400, 'BadRequest', 'Not a valid path: it has a wrong percent encoding.'),
    ],
    [
      'malformed JSON',
      '/echo',
      { method: 'POST', headers: json, payload: '{"a":' },
      failure(400, 'BadRequest', expect.stringMatching(/^Not a valid JSON document: /)),
    ],
    [
      'an empty body',
      '/echo',
      { method: 'POST', headers: json, payload: '' },
      failure(400, 'BadRequest', 'Not a valid JSON document: it is empty.'),
    ],
    [
      'no body at all',
      '/echo',
      { method: 'POST' },
      failure(400, 'BadRequest', 'Not a valid JSON document: it is empty.'),
    ],
    [
      'another content type',
      '/echo',
      { method: 'POST', headers: { 'content-type': 'text/html' }, payload: '<p>' },
      failure(
        415,
        'UnsupportedMediaType',
        'Content type text/html is not supported here, use application/json.',
      ),
    ],
    [
      'a malformed content type',
      '/echo',
      { method: 'POST', headers: { 'content-type': '@@' }, payload: '{}' },
      failure(415, 'UnsupportedMediaType', 'Not a valid content type.'),
    ],
    [
      'an encoded body',
      '/echo',
      { method: 'POST', headers: { ...json, 'content-encoding': 'gzip' }, payload: '{}' },
      failure(
        415,
        'UnsupportedMediaType',
        'Content encoding gzip is not supported here, send the body as it is.',
      ),
    ],
    [
      'a large body',
      '/echo',
      { method: 'POST', headers: json, payload: `"${'x'.repeat(1024)}"` },
      failure(413, 'PayloadTooLarge', 'A request body may have 1024 bytes at most.'),
    ],
  ])('%s', async (_, url, options, expected) => {
    const response = await call(url, options);
    expect(response.json()).toEqual(expected);
    expect(response.statusCode).toBe(expected.code);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.headers['x-content-type-options']).toBe('nosniff');
  });

  // HTTP 7: 500 tells nothing of its cause.
  test('a bug is logged with its cause, which the client does not see', () => {
    expect(logged.filter((line) => line.includes('secret detail'))).toHaveLength(1);
  });

  test('Allow names the methods that are possible', async () => {
    expect((await call('/echo')).headers.allow).toBe('DELETE, POST');
  });
});

describe('access', () => {
  test('a call without a token is refused before anything is known of the path', async () => {
    for (const url of ['/workflows', '/nowhere', '/health', '/openapi.json']) {
      const response = await fixture.app.inject(url);
      expect(response.json()).toEqual(failure(401, 'Unauthorized', 'No Bearer token'));
      expect(response.headers['www-authenticate']).toBe('Bearer');
    }
  });

  test.each([
    ['a wrong percent encoding', '/things/%zz', 400, 'BadRequest'],
    ['a very long part', `/things/${'a'.repeat(10_000)}`, 404, 'NotFound'],
  ])('also where the path has %s', async (_, url, code, reason) => {
    const response = await fixture.app.inject(url);
    expect(response.json()).toEqual(failure(401, 'Unauthorized', 'No Bearer token'));
    expect(response.headers['www-authenticate']).toBe('Bearer');
    expect((await call(url)).json()).toMatchObject({ code, reason });
  });

  test.each([
    ['no restriction', {}, 200],
    ['one namespace', { namespaces: ['a'] }, 200],
    ['another verb', { verbs: ['create'] }, 403],
    ['another resource', { resources: ['agents'] }, 403],
    ['no namespace', { namespaces: [] }, 403],
    // HTTP 5: 403 for a token that does not give the right.
  ])('a token with %s', async (_, scope, code) => {
    const authorization = await fixture.restricted(scope);
    const response = await call('/workflows', { headers: { authorization } });
    expect(response.statusCode).toBe(code);
    if (code === 403) {
      expect(response.json()).toEqual(
        failure(403, 'Forbidden', 'User bob is not authorized to list workflows.'),
      );
    }
  });

  test('without access control programs of the machine need no token, but a page does', async () => {
    const open = await createTestApp({ routes: [], config: { auth: { insecureLogin: true } } });
    const get = async (headers: Record<string, string>) =>
      (await open.app.inject({ url: '/health', headers: { host: '127.0.0.1:7774', ...headers } }))
        .statusCode;
    expect(await get({})).toBe(200);
    expect(await get({ authorization: 'Bearer none' })).toBe(401);
    expect(await get({ origin: 'https://example.com' })).toBe(401);
    await open.app.close();
  });

  test('a route may be open to everybody, without any rights', async () => {
    expect((await fixture.app.inject('/open')).json()).toEqual({ subject: 'nobody' });
  });
});

describe('paths', () => {
  test.each(['/workflows', '//workflows', '/workflows/', '///workflows//', '/workflows?a=b'])(
    '%s is answered without a redirect',
    async (url) => {
      expect((await call(url)).json()).toEqual({ subject: 'alice', url });
    },
  );

  // HTTP 7: 400 for what is malformed, and for JSON beyond our bounds.
  test.each(['', '  '])('4.4: the content type %j counts as none', async (type) => {
    const headers = { 'content-type': type };
    const response = await call('/echo', { method: 'POST', headers, payload: '{"a":1}' });
    expect(response.json()).toEqual({ body: { a: 1 } });
  });

  test('HEAD is there where GET is, without a body', async () => {
    const response = await call('/workflows', { method: 'HEAD' });
    expect(response.statusCode).toBe(200);
    expect(response.body).toBe('');
    expect(Number(response.headers['content-length'])).toBeGreaterThan(0);
  });
});

test('every response has the security headers', async () => {
  expect((await call('/workflows')).headers).toMatchObject({
    'strict-transport-security': 'max-age=31536000; includeSubdomains',
    'x-frame-options': 'SAMEORIGIN',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'",
  });
});

describe('bodies', () => {
  test.each<[string, Record<string, string>]>([
    ['application/json', { 'content-type': 'application/json' }],
    ['application/json with a charset', { 'content-type': 'application/json; charset=utf-8' }],
    ['a relative of JSON', { 'content-type': 'application/merge-patch+json' }],
    ['what curl says of data', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['plain text', { 'content-type': 'text/plain;charset=UTF-8' }],
    ['no content type', {}],
  ])('%s is parsed', async (_, headers) => {
    const response = await call('/echo', {
      method: 'POST',
      headers,
      payload: Buffer.from('{"a":1}'),
    });
    expect(response.json()).toEqual({ body: { a: 1 } });
  });

  test.each(['', '{', '<p>'])('a deletion has no body, whatever is sent: %j', async (payload) => {
    for (const type of ['application/json', 'text/html', '@@']) {
      const headers = { 'content-type': type };
      const response = await call('/echo', { method: 'DELETE', headers, payload });
      expect(response.json()).toEqual({ body: null });
    }
  });

  test('bytes come as they are, whatever their type', async () => {
    const headers = { 'content-type': 'application/json' };
    const response = await call('/bytes', { method: 'POST', headers, payload: '{{{' });
    expect(response.json()).toEqual({ length: 3 });
  });

  test('a stream is bounded by its route alone', async () => {
    const response = await call('/stream', { method: 'POST', payload: Buffer.alloc(100_000) });
    expect(response.json()).toEqual({ length: 100_000 });
  });
});

describe('GET /health', () => {
  test('is OK with a token', async () => {
    const response = await call('/health');
    expect(response.body).toBe('OK');
    expect(response.headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  // HTTP 4.2: The configuration may open it to everybody.
  // HTTP 5: Health needs a token unless the configuration says otherwise.
  test('needs none if the configuration says so', async () => {
    const open = await createTestApp({ routes: [], config: { auth: { insecureHealth: true } } });
    expect((await open.app.inject('/health')).body).toBe('OK');
    await open.app.close();
  });
});

describe('pages of other origins', () => {
  const ORIGIN = 'https://pages.example.com';
  const open = (origins: readonly string[]) =>
    createTestApp({ routes: [], config: { cors: { origins: [...origins] } } });

  test.each<[string, string[], string | undefined]>([
    ['no origin is configured', [], undefined],
    ['theirs is not', ['https://other.example.com', 'http://pages.example.com'], undefined],
    ['theirs is', ['https://other.example.com', ORIGIN], ORIGIN],
    ['all are', ['*'], '*'],
  ])('when %s, %j lets them read %s', async (_, origins, allowed) => {
    const { app } = await open(origins);
    const headers = { origin: ORIGIN };
    const refused = await app.inject({ url: '/health', headers });
    expect(refused.statusCode).toBe(401);
    expect(refused.headers['access-control-allow-origin']).toBe(allowed);
    expect(refused.headers).not.toHaveProperty('access-control-allow-credentials');
    await app.close();
  });

  test('may ask for permission without a token, and for nothing else', async () => {
    const { app } = await open([ORIGIN]);
    const headers = { origin: ORIGIN, 'access-control-request-method': 'DELETE' };
    const asked = await app.inject({ method: 'OPTIONS', url: '/version', headers });
    expect(asked.statusCode).toBe(204);
    expect(asked.headers['access-control-allow-methods']).toContain('DELETE');
    const other = await app.inject({ url: '/openapi.json', headers: { origin: ORIGIN } });
    expect(other.statusCode).toBe(401);
    await app.close();
  });
});

test('GET /openapi.json describes the routes', async () => {
  const document = (await call('/openapi.json')).json();
  expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Tutti', version: '1.2.3' } });
  expect(Object.keys(document.paths)).toEqual([
    '/bug',
    '/bytes',
    '/echo',
    '/health',
    '/open',
    '/openapi.html',
    '/passing/{what}',
    '/refusal',
    '/stream',
    '/workflows',
    '/workflows/{workflow_id}/status',
  ]);
  expect(document.paths['/open'].get.security).toEqual([]);
});
