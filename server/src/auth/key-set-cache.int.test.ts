import { generateKeyPairSync } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLogger } from '../runtime/logger.ts';
import { OutgoingPolicy } from '../runtime/outgoing-policy.ts';
import { createAuthenticator } from './authenticator.ts';
import { HeldTokens } from './held-tokens.ts';
import { KeySetCache } from './key-set-cache.ts';
import { AUTH_LIMITS } from './limits.ts';
import { createTestAuthority, createTestClock } from './testing.ts';

interface Authority {
  readonly id: string;
  readonly jwk: object;
  /** `kid` null: the token names no key. */
  bearer(kid?: string | null): Promise<string>;
}

function createAuthority(id: string): Authority {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    id,
    jwk: { ...publicKey.export({ format: 'jwk' }), kid: id },
    bearer: async (kid = id) => {
      const header = { alg: 'ES256', ...(kid !== null && { kid }) };
      const token = new SignJWT({ sub: id }).setProtectedHeader(header);
      return `Bearer ${await token.sign(privateKey)}`;
    },
  };
}

const one = createAuthority('one');
const two = createAuthority('two');

const outgoing = new OutgoingPolicy({ privateNetworks: [] });
let server: Server;
let origin: string;
let answer: RequestListener;
let requests: number;
let log: string;

const setOf =
  (...authorities: readonly Authority[]): RequestListener =>
  (_, response) => {
    response.end(JSON.stringify({ keys: authorities.map(({ jwk }) => jwk) }));
  };

beforeAll(async () => {
  server = createServer((request, response) => {
    requests += 1;
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  requests = 0;
  answer = setOf(one);
  log = '';
});

function open() {
  const clock = createTestClock();
  const own = createTestAuthority(clock);
  const write = (line: string) => {
    log += line;
  };
  const logger = createLogger({ level: 'info', destination: { write } });
  const namespaces = new Set(['a']);
  const keySets = [
    new KeySetCache({ address: new URL(`${origin}/keys`), namespaces, clock, logger, outgoing }),
  ];
  const keys = [{ key: own.publicKey, algorithms: ['ES256'], namespaces: '*' as const }];
  const authority = createAuthenticator({ keys, keySets, clock });
  const { authenticate } = authority;
  const reach = async (header: Promise<string> | string) => {
    const access = await authenticate(await header).catch(() => null);
    return access?.namespaces('workflows', 'get') ?? null;
  };
  return { clock, own, reach, heldTokens: new HeldTokens({ authority, clock, logger }), authority };
}

const ITS_NAMESPACES = new Set(['a']);

describe('a key set', () => {
  test('is fetched once, by the first token that needs it, and gives its namespaces', async () => {
    const { reach, own } = open();
    expect(await reach(own.bearer({ sub: 'x' }))).toBe('*');
    expect(requests).toBe(0);
    const seen = await Promise.all([reach(one.bearer()), reach(one.bearer(null))]);
    expect(seen).toEqual([ITS_NAMESPACES, ITS_NAMESPACES]);
    expect(await reach(one.bearer())).toEqual(ITS_NAMESPACES);
    expect(requests).toBe(1);
  });

  test('that drops a key ends what is held with its tokens, once it is asked again', async () => {
    const { authority, clock, heldTokens } = open();
    const authorization = await one.bearer();
    const access = await authority.authenticate(authorization);
    const refusals: unknown[] = [];
    heldTokens.hold({ authorization, access, end: (refusal) => void refusals.push(refusal) });
    clock.advance(AUTH_LIMITS.keySetFreshMs - 1);
    await heldTokens.look();
    expect([requests, refusals]).toEqual([1, []]);
    clock.advance(1);
    await heldTokens.look();
    expect([requests, refusals]).toEqual([2, []]);
    answer = setOf(two);
    clock.advance(AUTH_LIMITS.keySetFreshMs);
    await heldTokens.look();
    expect(refusals).toMatchObject([{ reason: 'Unauthorized' }]);
  });

  test('is not asked for what no key can have signed', async () => {
    const { reach } = open();
    for (const token of ['garbage', `${btoa('{"alg":"none","kid":"x"}')}.e30.`]) {
      expect(await reach(`Bearer ${token}`)).toBeNull();
    }
    expect(requests).toBe(0);
  });

  test('is fetched again for an unknown key, but not more than every 30 seconds', async () => {
    const { reach, clock } = open();
    expect(await reach(one.bearer())).toEqual(ITS_NAMESPACES);
    answer = setOf(one, two);
    for (const kid of ['two', 'x', 'y', 'z']) expect(await reach(two.bearer(kid))).toBeNull();
    expect(requests).toBe(1);
    clock.advance(AUTH_LIMITS.keySetRetryMs);
    const all = await Promise.all([reach(two.bearer()), reach(two.bearer()), reach(one.bearer())]);
    expect(all).toEqual([ITS_NAMESPACES, ITS_NAMESPACES, ITS_NAMESPACES]);
    expect(requests).toBe(2);
  });

  test('does not take the key of one id for a token of another', async () => {
    expect(await open().reach(one.bearer('two'))).toBeNull();
  });

  test('that withdrew a key refuses its tokens after ten minutes, also those it knew', async () => {
    const { reach, clock } = open();
    const header = await one.bearer();
    expect(await reach(header)).toEqual(ITS_NAMESPACES);
    answer = setOf(two);
    clock.advance(AUTH_LIMITS.keySetFreshMs - 1);
    expect(await reach(header)).toEqual(ITS_NAMESPACES);
    clock.advance(1);
    expect(await reach(header)).toBeNull();
    expect(await reach(two.bearer())).toEqual(ITS_NAMESPACES);
    expect(requests).toBe(2);
  });
});

const endless: RequestListener = (_, response) => {
  const chunk = Buffer.alloc(64 * 1024, ' ');
  const write = () => {
    while (response.write(chunk));
  };
  response.on('drain', write);
  write();
};
const redirectTo =
  (target: (path: string) => string): RequestListener =>
  (request, response) => {
    response.writeHead(302, { location: target(request.url ?? '') }).end();
  };

describe('a fetch that fails', () => {
  test.each<[string, RequestListener, string]>([
    ['with an error', (_, response) => response.writeHead(500).end('{"keys":[]}'), 'answered 500'],
    ['without an answer', (request) => request.destroy(), 'socket hang up'],
    ['with something else', (_, response) => response.end('<html>'), 'not a JSON Web Key Set'],
    ['with a set without end', endless, 'larger than 262144 bytes'],
    ['at another host', redirectTo((path) => `http://localhost:1${path}`), 'redirects to http://'],
    ['in a circle', redirectTo((path) => path), 'redirects more than 3 times'],
  ])(
    '%s keeps the last keys, is told, and is tried again after 30 seconds',
    async (_, fail, why) => {
      const { reach, clock } = open();
      await reach(one.bearer());
      answer = fail;
      clock.advance(AUTH_LIMITS.keySetFreshMs);
      expect(await reach(one.bearer())).toEqual(ITS_NAMESPACES);
      expect(log).toContain(why);
      const failed = requests;
      expect(await reach(one.bearer('x'))).toBeNull();
      expect(requests).toBe(failed);
      answer = setOf(two);
      clock.advance(AUTH_LIMITS.keySetRetryMs);
      expect(await reach(one.bearer())).toBeNull();
      expect(await reach(two.bearer())).toEqual(ITS_NAMESPACES);
    },
  );

  test('before the first set came refuses the token', async () => {
    answer = (request) => request.destroy();
    expect(await open().reach(one.bearer())).toBeNull();
  });
});

test('a redirection on the same host is followed', async () => {
  const keys = setOf(one);
  answer = (request, response) => {
    if (request.url === '/keys') response.writeHead(307, { location: '/v2/keys' }).end();
    else keys(request, response);
  };
  expect(await open().reach(one.bearer())).toEqual(ITS_NAMESPACES);
});
