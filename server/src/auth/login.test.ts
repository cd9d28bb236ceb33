import type { IncomingHttpHeaders } from 'node:http';
import { isOrchestratorError } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { createLogin } from './login.ts';
import { createTestAuthority } from './testing.ts';

const authority = createTestAuthority();
const LOCAL = { host: '127.0.0.1:7774' };

const proxied = (name: string) =>
  `a request with the header "${name}", which a proxy may have added`;

async function refusal(headers: IncomingHttpHeaders, insecureLogin = true) {
  const login = createLogin(authority.authenticator('team'), { insecureLogin });
  try {
    await login(headers);
  } catch (error) {
    if (isOrchestratorError(error)) return error;
    throw error;
  }
  throw new Error('The request was accepted.');
}

test('a request without a token is refused unless the server is configured for it', async () => {
  const { reason, message, details } = await refusal(LOCAL, false);
  expect([reason, message, details]).toEqual(['Unauthorized', 'No Bearer token', null]);
});

describe('with insecureLogin', () => {
  const login = createLogin(authority.authenticator('team'), { insecureLogin: true });

  test.each([
    ['127.0.0.1:7774', {}],
    ['localhost', {}],
    ['[::1]:7774', {}],
    ['localhost:7774', { authorization: '' }],
    ['localhost:7774', { authorization: 'Bearer' }],
    ['localhost:7774', { 'sec-fetch-site': 'none' }],
    ['localhost:7774', { 'sec-fetch-site': 'same-origin' }],
    ['localhost:7774', { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }],
  ])('a request to %s with %j may do everything', async (host, headers) => {
    const access = await login({ host, ...headers });
    expect(access.subject).toBe('anybody');
    expect(access.namespaces('workflows', 'create')).toBe('*');
    expect(access.namespaces('agents', 'delete')).toBe('*');
  });

  test('a token reaches what it reaches, and no more', async () => {
    const authorization = await authority.bearer({ sub: 'alice' });
    const access = await login({ ...LOCAL, authorization });
    expect(access.subject).toBe('alice');
    expect(access.namespaces('workflows', 'list')).toEqual(new Set(['team']));
  });

  test.each([
    ['Bearer none', 'Invalid JWT token.'],
    ['Bearer none at all', 'Invalid Authorization header.'],
    ['none', 'Invalid Authorization header.'],
  ])('a token that does not count is refused: "%s"', async (authorization, message) => {
    expect((await refusal({ ...LOCAL, authorization })).message).toBe(message);
  });

  test.each([
    ['a proxy', { 'x-forwarded-for': '10.0.0.1' }, proxied('x-forwarded-for')],
    ['a standard proxy', { forwarded: 'for=10.0.0.1' }, proxied('forwarded')],
    ['a gateway', { via: '1.1 gateway' }, proxied('via')],
    ['a proxy that nobody knows', { 'x-from-afar': '1' }, proxied('x-from-afar')],
    ['a page', { origin: 'https://example.com' }, 'a request of a page in a browser'],
    ['a local page', { origin: 'http://localhost:7774' }, 'a request of a page in a browser'],
    ['an image', { 'sec-fetch-site': 'cross-site' }, 'a request of a page in a browser'],
    ['another name', { host: 'evil.example.com' }, 'a request to the host "evil.example.com"'],
    ['a wrong host', { host: '127.0.0.1:x' }, 'a request to the host "127.0.0.1:x"'],
    ['no host', { host: undefined }, 'a request to the host ""'],
  ])('a request that the machine sends for %s needs a token', async (_, headers, what) => {
    const { reason, message, details } = await refusal({ ...LOCAL, ...headers });
    expect([reason, message]).toEqual(['Unauthorized', 'No Bearer token']);
    expect(details).toEqual({
      error: `Only programs of this machine need no token; this is ${what}.`,
    });
  });
});
