import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../runtime/config.ts';
import { createLogger } from '../runtime/logger.ts';
import { OutgoingPolicy } from '../runtime/outgoing-policy.ts';
import { AUTH_LIMITS } from './limits.ts';
import { rotateSigningKey } from './rotate-key.ts';
import { openServerAuthenticator } from './server-authenticator.ts';
import { ensureSigningKey } from './signing-key.ts';
import { createTestClock } from './testing.ts';
import { createToken, ensureAdminToken } from './tokens.ts';

const outgoing = new OutgoingPolicy({ privateNetworks: [] });

const root = mkdtempSync(join(tmpdir(), 'tutti-own-key-'));
afterAll(() => rmSync(root, { recursive: true }));

let count = 0;
let dataDir = '';
beforeEach(() => {
  count += 1;
  dataDir = join(root, `data-${count}`);
});

const clock = createTestClock();

async function open() {
  let log = '';
  const write = (line: string) => {
    log += line;
  };
  const logger = createLogger({ level: 'info', destination: { write } });
  const config = loadConfig({ env: {}, options: { dataDir } });
  const authenticator = await openServerAuthenticator({ config, clock, logger, outgoing });
  const accepts = (token: string) =>
    authenticator.authenticate(`Bearer ${token}`).then(
      () => true,
      () => false,
    );
  return { accepts, log: () => log };
}

const tokenOf = async (subject: string) =>
  createToken({ key: await ensureSigningKey(dataDir), subject, clock });
const adminToken = () => readFileSync(join(dataDir, 'admin.token'), 'utf8').trim();

test('a rotation revokes all tokens of a server that runs, within the time between two looks', async () => {
  const { accepts, log } = await open();
  const [old, oldAdmin] = [await tokenOf('ci'), adminToken()];
  expect([await accepts(old), await accepts(oldAdmin)]).toEqual([true, true]);
  await rotateSigningKey(dataDir, clock);
  clock.advance(AUTH_LIMITS.fileCheckMs);
  expect([await accepts(old), await accepts(oldAdmin)]).toEqual([false, false]);
  expect(adminToken()).not.toBe(oldAdmin);
  expect(await accepts(adminToken())).toBe(true);
  expect(await accepts(await tokenOf('ci'))).toBe(true);
  expect(log()).toContain(
    'The key that signs tokens is another one: tokens of the one before are refused.',
  );
});

test('a rotation that was interrupted after the new key is completed by the next start', async () => {
  await ensureAdminToken(dataDir, clock);
  const oldAdmin = adminToken();
  await rotateSigningKey(dataDir, clock);
  writeFileSync(join(dataDir, 'admin.token'), `${oldAdmin}\n`);
  const { accepts } = await open();
  expect(await accepts(oldAdmin)).toBe(false);
  expect(await accepts(adminToken())).toBe(true);
});

test.each([
  ['is no key', (file: string) => writeFileSync(file, 'no key')],
  ['is gone', (file: string) => rmSync(file)],
])('a key file that %s changes nothing while the server runs', async (_what, damage) => {
  const { accepts, log } = await open();
  const token = await tokenOf('ci');
  damage(join(dataDir, 'keys/signing.pem'));
  clock.advance(AUTH_LIMITS.fileCheckMs);
  expect(await accepts(token)).toBe(true);
  expect(log()).toContain('The key that signs tokens changed, but the one before stays:');
});

test('a directory without a key has no tokens to revoke', async () => {
  await expect(rotateSigningKey(dataDir, clock)).rejects.toThrow(
    `${dataDir} has no key, so there are no tokens to revoke.`,
  );
});

test('a token of the own key that was changed is refused, and one that holds for ever says what it may', async () => {
  const { accepts } = await open();
  const token = await tokenOf('ci');
  const [header, payload = '', signature] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const more = Buffer.from(JSON.stringify({ ...claims, sub: 'admin' })).toString('base64url');
  expect(await accepts(`${header}.${more}.${signature}`)).toBe(false);
  const key = await ensureSigningKey(dataDir);
  const limited = await createToken({ key, subject: 'ci', namespaces: ['team-a'], clock });
  const config = loadConfig({ env: {}, options: { dataDir } });
  const logger = createLogger({ level: 'silent' });
  const authenticator = await openServerAuthenticator({ config, clock, logger, outgoing });
  const access = await authenticator.authenticate(`Bearer ${limited}`);
  expect(access.namespaces('workflows', 'get')).toEqual(new Set(['team-a']));
});
