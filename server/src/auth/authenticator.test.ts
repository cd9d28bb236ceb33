import { createHmac, generateKeyPairSync } from 'node:crypto';
import { isOrchestratorError } from '@tutti/manifests';
import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import type { Resource, Verb } from './access.ts';
import { type Authenticator, createAuthenticator } from './authenticator.ts';
import { createTestAuthority, createTestClock, NOW_MS } from './testing.ts';
import { trustedKey } from './trusted-keys.ts';

const NOW_SECONDS = NOW_MS / 1000;
const ours = createTestAuthority();
const others = createTestAuthority();

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

async function refusal(authenticator: Authenticator, header: string | undefined) {
  try {
    await authenticator.authenticate(header);
  } catch (error) {
    if (isOrchestratorError(error)) return error;
    throw error;
  }
  throw new Error('The token was accepted.');
}

/** Signed with the public key as if it were a shared secret: the classic confusion of algorithms. */
function hmacToken(): string {
  const secret = String(ours.publicKey.export({ type: 'spki', format: 'pem' }));
  const signed = `${base64({ alg: 'HS256' })}.${base64({ sub: 'eve' })}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

async function tamperedToken(): Promise<string> {
  const [head, , signature] = (await ours.bearer({ sub: 'eve' })).split('.');
  return `${head}.${base64({ sub: 'admin' })}.${signature}`;
}

describe('refused', () => {
  const invalid = 'Invalid JWT token.';
  test.each<
    [string, () => Promise<string | undefined> | string | undefined, string, object | null]
  >([
    ['no token', () => undefined, 'No Bearer token', null],
    ['an empty header', () => '', 'No Bearer token', null],
    ['another scheme', () => 'Basic abc', 'Invalid Authorization header.', null],
    ['one word', () => 'Bearer', 'Invalid Authorization header.', null],
    ['three words', () => 'Bearer a b', 'Invalid Authorization header.', null],
    ['garbage', () => 'Bearer garbage', invalid, null],
    ['garbage in three parts', () => 'Bearer a.b.c', invalid, null],
    ['a token of 9 KiB', () => `Bearer ${'a'.repeat(9000)}`, invalid, null],
    [
      'an expired token',
      () => ours.bearer({ sub: 'a', exp: NOW_SECONDS - 1 }),
      invalid,
      { error: 'The token has expired.' },
    ],
    [
      'a token of the future',
      () => ours.bearer({ sub: 'a', nbf: NOW_SECONDS + 60 }),
      invalid,
      { error: expect.stringContaining('nbf') },
    ],
    ['the key of somebody else', () => others.bearer({ sub: 'a' }), invalid, null],
    ['HS256', () => `Bearer ${hmacToken()}`, invalid, null],
    ['none', () => `Bearer ${base64({ alg: 'none' })}.${base64({ sub: 'a' })}.`, invalid, null],
    ['a changed token', tamperedToken, invalid, null],
    [
      'restrictions that cannot be read',
      () => ours.bearer({ sub: 'a', tutti: { verbs: ['fly'] } }),
      invalid,
      { error: 'The restrictions of the token cannot be read.' },
    ],
  ])('%s', async (_, header, message, details) => {
    const error = await refusal(ours.authenticator(), await header());
    expect(error).toMatchObject({ reason: 'Unauthorized', message, details });
  });
});

describe('accepted', () => {
  test('a token with no more than an issuer and a subject', async () => {
    const header = await ours.bearer({ iss: 'somebody', sub: 'alice' });
    const access = await ours.authenticator().authenticate(header);
    expect(access.subject).toBe('alice');
    expect(access.namespaces('agents', 'delete')).toBe('*');
  });

  test('the scheme in any case', async () => {
    const header = (await ours.bearer({ sub: 'alice' })).replace('Bearer', 'bEARER');
    expect((await ours.authenticator().authenticate(header)).subject).toBe('alice');
  });

  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const p521 = generateKeyPairSync('ec', { namedCurve: 'P-521' });
  const ed25519 = generateKeyPairSync('ed25519');
  test.each([
    ['RS256', rsa],
    ['RS384', rsa],
    ['RS512', rsa],
    ['PS256', rsa],
    ['PS384', rsa],
    ['PS512', rsa],
    ['ES384', p384],
    ['ES512', p521],
    ['EdDSA', ed25519],
  ])('%s', async (alg, pair) => {
    const keys = [
      trustedKey(ours.publicKey, '*', 'first'),
      trustedKey(pair.publicKey, new Set(['a']), 'second'),
    ];
    const authenticator = createAuthenticator({ keys, clock: createTestClock() });
    const token = await new SignJWT({ sub: 'bob' })
      .setProtectedHeader({ alg })
      .sign(pair.privateKey);
    const access = await authenticator.authenticate(`Bearer ${token}`);
    expect(access.namespaces('workflows', 'list')).toEqual(new Set(['a']));
  });
});

test('a token that was accepted is refused once it expires', async () => {
  const clock = createTestClock();
  const authority = createTestAuthority(clock);
  const authenticator = authority.authenticator();
  const header = await authority.bearer({ sub: 'a', exp: NOW_SECONDS + 10 });
  const first = await authenticator.authenticate(header);
  clock.advance(9_999);
  expect(await authenticator.authenticate(header)).toBe(first);
  clock.advance(1);
  expect((await refusal(authenticator, header)).details).toEqual({
    error: 'The token has expired.',
  });
});

describe('restrictions of the claim "tutti"', () => {
  const none = new Set();
  test.each<[string, object, string, Resource, Verb, unknown]>([
    ['namespaces', { namespaces: ['a', 'b'] }, '*', 'workflows', 'create', new Set(['a', 'b'])],
    [
      'a namespace of the key',
      { namespaces: ['a', 'x'] },
      'a,b',
      'workflows',
      'get',
      new Set(['a']),
    ],
    ['no common namespace', { namespaces: ['x'] }, 'a,b', 'workflows', 'get', none],
    [
      'all namespaces of the key',
      { namespaces: ['*'] },
      'a,b',
      'agents',
      'get',
      new Set(['a', 'b']),
    ],
    ['an allowed verb', { verbs: ['list', 'get'] }, '*', 'workflows', 'get', '*'],
    ['another verb', { verbs: ['list', 'get'] }, '*', 'workflows', 'create', none],
    ['an allowed resource', { resources: ['agents'] }, '*', 'agents', 'create', '*'],
    ['another resource', { resources: ['agents'] }, '*', 'workflows', 'get', none],
    ['nothing at all', { resources: [] }, '*', 'workflows', 'get', none],
  ])('%s', async (_, tutti, keyNamespaces, resource, verb, expected) => {
    const header = await ours.bearer({ sub: 'a', tutti });
    const access = await ours.authenticator(keyNamespaces).authenticate(header);
    expect(access.namespaces(resource, verb)).toEqual(expected);
  });

  test.each([
    ['text', 'all'],
    ['null', null],
    ['an unknown key', { namespace: ['a'] }],
    ['a text for a list', { namespaces: 'a' }],
    ['a bad namespace', { namespaces: ['A b'] }],
    ['an unknown resource', { resources: ['secrets'] }],
  ])('that are %s make the token invalid', async (_, tutti) => {
    const error = await refusal(ours.authenticator(), await ours.bearer({ sub: 'a', tutti }));
    expect(error.message).toBe('Invalid JWT token.');
  });
});
