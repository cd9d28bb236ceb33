import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../runtime/config.ts';
import { revokedTokensOf } from '../runtime/data-directory.ts';
import { createLogger } from '../runtime/logger.ts';
import { OutgoingPolicy } from '../runtime/outgoing-policy.ts';
import { AUTH_LIMITS } from './limits.ts';
import { type RevokedToken, readRevokedTokens, revokeToken, tokenHash } from './revoked-tokens.ts';
import { openServerAuthenticator } from './server-authenticator.ts';
import { ensureSigningKey } from './signing-key.ts';
import { createTestClock, NOW_MS } from './testing.ts';
import { createToken, ensureAdminToken } from './tokens.ts';

const root = mkdtempSync(join(tmpdir(), 'tutti-revoked-'));
afterAll(() => rmSync(root, { recursive: true }));

let count = 0;
let dataDir = '';
beforeEach(() => {
  count += 1;
  dataDir = join(root, `data-${count}`);
});

const clock = createTestClock();
const tokenOf = async (subject: string) =>
  createToken({ key: await ensureSigningKey(dataDir), subject, clock });
const entry = (more: Partial<RevokedToken>): RevokedToken => ({ revokedAt: 'now', ...more });
const revoke = (more: Partial<RevokedToken>) => revokeToken(dataDir, entry(more), NOW_MS);

async function open() {
  let log = '';
  const write = (line: string) => {
    log += line;
  };
  const logger = createLogger({ level: 'info', destination: { write } });
  const config = loadConfig({ env: {}, options: { dataDir } });
  const outgoing = new OutgoingPolicy({ privateNetworks: [] });
  const authenticator = await openServerAuthenticator({ config, clock, logger, outgoing });
  const refusalOf = (token: string) =>
    authenticator.authenticate(`Bearer ${token}`).then(
      () => null,
      ({ message, details }) => details?.error ?? message,
    );
  return { refusalOf, look: () => authenticator.trust(), log: () => log };
}

const idIn = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti;

test('one token is refused within the time between two looks, and no other', async () => {
  const { refusalOf } = await open();
  const [stolen, byId, kept] = [await tokenOf('ci'), await tokenOf('ci'), await tokenOf('ci')];
  expect([await refusalOf(stolen), await refusalOf(byId)]).toEqual([null, null]);
  await revoke({ sha256: tokenHash(stolen) });
  await revoke({ id: idIn(byId) });
  clock.advance(AUTH_LIMITS.fileCheckMs);
  const refusal = 'The token was revoked.';
  expect([await refusalOf(stolen), await refusalOf(byId)]).toEqual([refusal, refusal]);
  expect(await refusalOf(kept)).toBeNull();
  const restarted = await open();
  expect(await restarted.refusalOf(stolen)).toBe(refusal);
  expect(await restarted.refusalOf(kept)).toBeNull();
});

test('a look finds a token that was revoked right after another look', async () => {
  const { refusalOf, look } = await open();
  const stolen = await tokenOf('ci');
  clock.advance(AUTH_LIMITS.fileCheckMs);
  expect(await refusalOf(stolen)).toBeNull();
  await revoke({ sha256: tokenHash(stolen) });
  await look();
  expect(await refusalOf(stolen)).toBe('The token was revoked.');
});

test('another form of the same signature is no other token', async () => {
  const token = await tokenOf('ci');
  await revoke({ sha256: tokenHash(token) });
  const { refusalOf } = await open();
  // Decoders of signatures skip such characters.
  for (const form of [token, `${token}=`, `${token}!`]) {
    expect(await refusalOf(form)).toBe('The token was revoked.');
  }
});

test('a list that is gone or damaged while the server runs revokes what it did', async () => {
  const token = await tokenOf('ci');
  await revoke({ sha256: tokenHash(token) });
  const { refusalOf, log } = await open();
  for (const damage of [
    () => writeFileSync(revokedTokensOf(dataDir), '[{"sha'),
    () => rmSync(revokedTokensOf(dataDir)),
  ]) {
    damage();
    clock.advance(AUTH_LIMITS.fileCheckMs);
    expect(await refusalOf(token)).toBe('The token was revoked.');
  }
  expect(log()).toContain('The list of revoked tokens changed, but what it said before stays');
});

test.each(['{}', '[{}]', '[1]', 'nothing'])(
  'a server does not start with the list %s',
  async (text) => {
    await ensureSigningKey(dataDir);
    writeFileSync(revokedTokensOf(dataDir), text);
    await expect(open()).rejects.toThrow(/The list of revoked tokens .* is not usable: /);
  },
);

test('entries leave the list some days after their tokens expired', async () => {
  await ensureSigningKey(dataDir);
  const day = 24 * 3_600;
  const seconds = NOW_MS / 1000;
  await revoke({ id: 'long ago', expiresAt: seconds - 8 * day });
  await revoke({ id: 'lately', expiresAt: seconds - 6 * day });
  await revoke({ id: 'for ever' });
  await revoke({ id: 'for ever' });
  const ids = ((await readRevokedTokens(dataDir)) ?? []).map(({ id }) => id);
  expect(ids).toEqual(['lately', 'for ever']);
});

// Bound: Revoked tokens.
test('a list that is full takes no further token', async () => {
  await ensureSigningKey(dataDir);
  const full = Array.from({ length: AUTH_LIMITS.revokedTokens }, (_, n) => entry({ id: `t${n}` }));
  writeFileSync(revokedTokensOf(dataDir), JSON.stringify(full));
  await expect(revoke({ id: 'one more' })).rejects.toThrow(/tutti tokens rotate/);
  expect(await readRevokedTokens(dataDir)).toHaveLength(AUTH_LIMITS.revokedTokens);
});

test("an administrator's token that was revoked is made anew", async () => {
  const { token, file } = await ensureAdminToken(dataDir, clock);
  await revoke({ id: idIn(token) });
  const next = await ensureAdminToken(dataDir, clock);
  expect(next.token).not.toBe(token);
  expect(readFileSync(file, 'utf8').trim()).toBe(next.token);
});
