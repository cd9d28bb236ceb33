import { generateKeyPairSync } from 'node:crypto';
import type { OrchestratorError } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { createLogger } from '../runtime/logger.ts';
import type { FileTrust } from './access-files.ts';
import { createAuthenticator } from './authenticator.ts';
import { HeldTokens } from './held-tokens.ts';
import { AUTH_LIMITS } from './limits.ts';
import { parsePolicyFile } from './policies.ts';
import { NO_TOKENS, parseTokenFile } from './static-tokens.ts';
import { createTestClock } from './testing.ts';
import { createToken } from './tokens.ts';
import { trustedKey } from './trusted-keys.ts';

const logger = createLogger({ level: 'silent' });
const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const own = { ...trustedKey(pair.publicKey, '*', 'test'), isOwn: true };
const NOTHING: FileTrust = { keys: [], tokens: NO_TOKENS, policies: [] };

function setUp(first: FileTrust) {
  const clock = createTestClock();
  const state = { trust: first };
  const files = { current: async () => state.trust, look: async () => state.trust };
  const authority = createAuthenticator({ keys: [], files, clock });
  const heldTokens = new HeldTokens({ authority, clock, logger });
  const hold = async (token: string) => {
    const authorization = `Bearer ${token}`;
    const refusals: OrchestratorError[] = [];
    const access = await authority.authenticate(authorization);
    const held = {
      authorization,
      access,
      end: (refusal: OrchestratorError) => void refusals.push(refusal),
    };
    heldTokens.hold(held);
    return { held, refusals };
  };
  return { clock, state, heldTokens, hold };
}

const tokenOf = (expiresInMs?: number) =>
  createToken({
    key: pair,
    subject: 'ci',
    clock: createTestClock(),
    ...(expiresInMs !== undefined && { expiresInMs }),
  });

test('a held access ends when its key is withdrawn, once', async () => {
  const { state, heldTokens, hold } = setUp({ ...NOTHING, keys: [own] });
  const { refusals } = await hold(await tokenOf());
  await heldTokens.look();
  expect(refusals).toEqual([]);
  state.trust = NOTHING;
  await heldTokens.look();
  state.trust = { ...NOTHING };
  await heldTokens.look();
  expect(refusals).toMatchObject([{ reason: 'Unauthorized' }]);
});

test('a held access ends when its token expires, and when the clock is set beyond that', async () => {
  const { clock, heldTokens, hold } = setUp({ ...NOTHING, keys: [own] });
  const [short, long] = [await hold(await tokenOf(60_000)), await hold(await tokenOf(3_600_000))];
  clock.advance(59_000);
  await heldTokens.look();
  expect(short.refusals).toEqual([]);
  clock.advance(1_000);
  await heldTokens.look();
  expect(short.refusals).toMatchObject([{ details: { error: 'The token has expired.' } }]);
  expect(long.refusals).toEqual([]);
});

const policies = (...rules: readonly object[]) =>
  parsePolicyFile(
    rules
      .map((spec) =>
        JSON.stringify({
          apiVersion: 'abac.opentestfactory.org/v1alpha1',
          kind: 'Policy',
          spec: { user: 'u', ...spec },
        }),
      )
      .join('\n'),
    'policies',
    'opentestfactory.org',
  );

test('a held access ends when its rights shrink, and not when they grow', async () => {
  const tokens = parseTokenFile('word,Name,u', 'tokens');
  const one = policies({ namespace: 'a', resource: '*' });
  const { state, heldTokens, hold } = setUp({ ...NOTHING, tokens, policies: one });
  const { held, refusals } = await hold('word');
  const more = policies({ namespace: 'a', resource: '*' }, { namespace: 'b', resource: '*' });
  state.trust = { ...NOTHING, tokens, policies: more };
  await heldTokens.look();
  expect(refusals).toEqual([]);
  const less = policies({ namespace: 'a', resource: '*', readonly: true });
  state.trust = { ...NOTHING, tokens, policies: less };
  await expect(heldTokens.check(held)).rejects.toMatchObject({ reason: 'Forbidden' });
  expect(refusals).toHaveLength(1);
});

// Bound: Tokens that are verified at a time after a change of keys.
test('a change is told to those who ask, after all was looked at', async () => {
  const { state, heldTokens, hold } = setUp({ ...NOTHING, keys: [own] });
  await heldTokens.look();
  const all = await Promise.all(
    Array.from({ length: 2 * AUTH_LIMITS.checkedAtOnce + 1 }, async () => hold(await tokenOf())),
  );
  const seen: number[] = [];
  heldTokens.whenTrustChanged(async () => {
    seen.push(all.filter(({ refusals }) => refusals.length === 1).length);
  });
  await heldTokens.look();
  expect(seen).toEqual([]);
  state.trust = NOTHING;
  await heldTokens.look();
  expect(seen).toEqual([all.length]);
});

test('a released access is not looked at any more', async () => {
  const { state, heldTokens, hold } = setUp({ ...NOTHING, keys: [own] });
  const { held, refusals } = await hold(await tokenOf());
  heldTokens.release(held);
  state.trust = NOTHING;
  await heldTokens.look();
  expect(refusals).toEqual([]);
});
