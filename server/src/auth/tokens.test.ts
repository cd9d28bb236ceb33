import { generateKeyPairSync } from 'node:crypto';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthenticator } from './authenticator.ts';
import { AUTH_LIMITS } from './limits.ts';
import { ensureSigningKey } from './signing-key.ts';
import { createTestClock } from './testing.ts';
import { createToken, ensureAdminToken } from './tokens.ts';
import { loadTrustedKeys, trustedKey } from './trusted-keys.ts';

/** Certificate of a P-256 key, whose private part nobody has. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBeDCCAR2gAwIBAgIUetc06fR24LNS3i0jH9fe+mtTvnswCgYIKoZIzj0EAwIw
EDEOMAwGA1UEAwwFdHV0dGkwIBcNMjYxMTIyMTQxNzE0WhgPMjEyNjEwMjkxNDE3
MTRaMBAxDjAMBgNVBAMMBXR1dHRpMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
SGzgp8rrTWskpm2We0Zc8yoQn60MyPh6QCLVv1oVJeZ/w5UiuzTpkXQDk96hgZHf
7lNSE/pR/G6ddpTavSzJIKNTMFEwHQYDVR0OBBYEFP0vxChudyDKBGz+Vwrh9hIr
Zi/eMB8GA1UdIwQYMBaAFP0vxChudyDKBGz+Vwrh9hIrZi/eMA8GA1UdEwEB/wQF
MAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAPTOalRNpFYLVG6v9ogeVOopB7C3qtgF
KEpWWSdPKze8AiEA9szfdPjoh8wvb9Rive9OtakQAH7HLdGbyF1WVsvmXLU=
-----END CERTIFICATE-----
`;

let root: string;
let next = 0;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'tutti-auth-'));
});
afterAll(() => rmSync(root, { recursive: true }));

const newFolder = (): string => join(root, `data-${next++}`);
const clock = createTestClock();

async function authenticatorOf(dataDir: string) {
  const { publicKey } = await ensureSigningKey(dataDir);
  return createAuthenticator({ keys: [trustedKey(publicKey, '*', 'own')], clock });
}

describe('the key pair of a data directory', () => {
  test('is made once, and only its owner may read the private key', async () => {
    const dataDir = newFolder();
    const first = await ensureSigningKey(dataDir);
    const second = await ensureSigningKey(dataDir);
    expect(second.publicKey.equals(first.publicKey)).toBe(true);
    expect(statSync(join(dataDir, 'keys/signing.pem')).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(dataDir, 'keys')).sort()).toEqual(['signing.pem', 'signing.pub.pem']);
  });

  test('that is there is only read, as it may be on a disk that can only be read', async () => {
    const dataDir = newFolder();
    await ensureSigningKey(dataDir);
    const changes = () =>
      ['keys', 'keys/signing.pem', 'keys/signing.pub.pem'].map(
        (path) => statSync(join(dataDir, path), { bigint: true }).ctimeNs,
      );
    const before = changes();
    await ensureSigningKey(dataDir);
    expect(changes()).toEqual(before);
  });

  test('that others may read is taken from them', async () => {
    const dataDir = newFolder();
    await ensureSigningKey(dataDir);
    chmodSync(join(dataDir, 'keys/signing.pem'), 0o644);
    await ensureSigningKey(dataDir);
    expect(statSync(join(dataDir, 'keys/signing.pem')).mode & 0o777).toBe(0o600);
  });

  test('is the same for all who make it at the same time', async () => {
    const dataDir = newFolder();
    const keys = await Promise.all(Array.from({ length: 8 }, () => ensureSigningKey(dataDir)));
    expect(keys.every(({ publicKey }) => keys[0]?.publicKey.equals(publicKey))).toBe(true);
  });

  test('that cannot be read is not replaced', async () => {
    const dataDir = newFolder();
    await ensureSigningKey(dataDir);
    writeFileSync(join(dataDir, 'keys/signing.pem'), 'rubbish');
    await expect(ensureSigningKey(dataDir)).rejects.toThrow('is not a P-256 private key');
  });
});

describe('a token', () => {
  test('has the rights it was made with, and expires', async () => {
    const dataDir = newFolder();
    const key = await ensureSigningKey(dataDir);
    const scope = { namespaces: ['a'], resources: ['workflows'], verbs: ['get'] } as const;
    const token = await createToken({ key, subject: 'ci', ...scope, expiresInMs: 1500, clock });
    const access = await (await authenticatorOf(dataDir)).authenticate(`Bearer ${token}`);
    expect(access.subject).toBe('ci');
    expect(access.namespaces('workflows', 'get')).toEqual(new Set(['a']));
    expect(access.namespaces('workflows', 'create')).toEqual(new Set());
    const late = createTestClock(clock.now() + 2000);
    const keys = [trustedKey(key.publicKey, '*', 'own')];
    const later = createAuthenticator({ keys, clock: late });
    await expect(later.authenticate(`Bearer ${token}`)).rejects.toThrow('Invalid JWT token.');
  });

  test('needs a subject and restrictions that exist', async () => {
    const key = await ensureSigningKey(newFolder());
    await expect(createToken({ key, subject: ' ', clock })).rejects.toThrow('needs a subject');
    const namespaces = ['Not A Namespace'];
    await expect(createToken({ key, subject: 'a', namespaces, clock })).rejects.toThrow(
      'A token is restricted to names of namespaces',
    );
  });
});

describe("the administrator's token", () => {
  test('stays the same over restarts and only its owner may read it', async () => {
    const dataDir = newFolder();
    const first = await ensureAdminToken(dataDir, clock);
    const second = await ensureAdminToken(dataDir, clock);
    expect(second).toEqual(first);
    expect(statSync(first.file).mode & 0o777).toBe(0o600);
    expect(readFileSync(first.file, 'utf8')).toBe(`${first.token}\n`);
    const access = await (await authenticatorOf(dataDir)).authenticate(`Bearer ${first.token}`);
    expect(access.namespaces('agents', 'delete')).toBe('*');
  });

  test.each([
    ['rubbish', () => 'rubbish'],
    ['of another key', async () => (await ensureAdminToken(newFolder(), clock)).token],
  ])('that is %s is replaced', async (_, content) => {
    const dataDir = newFolder();
    const { file } = await ensureAdminToken(dataDir, clock);
    const wrong = await content();
    writeFileSync(file, wrong);
    const { token } = await ensureAdminToken(dataDir, clock);
    expect(token).not.toBe(wrong);
    expect((await (await authenticatorOf(dataDir)).authenticate(`Bearer ${token}`)).subject).toBe(
      'admin',
    );
  });
});

describe('trusted keys', () => {
  const pem = (pair: { publicKey: import('node:crypto').KeyObject }): string =>
    String(pair.publicKey.export({ type: 'spki', format: 'pem' }));
  const write = (name: string, content: string): string => {
    const file = join(root, name);
    writeFileSync(file, content);
    return file;
  };

  // HTTP 5: It is signed by a trusted authority.
  test('come from files and directories, in order, with their namespaces', async () => {
    const dataDir = newFolder();
    await ensureSigningKey(dataDir);
    const file = write('rsa.pem', pem(generateKeyPairSync('rsa', { modulusLength: 2048 })));
    rmSync(join(dataDir, 'keys/signing.pem'));
    const { keys } = await loadTrustedKeys([
      { path: file, namespaces: 'a, b' },
      { path: join(dataDir, 'keys'), namespaces: '*' },
    ]);
    expect(keys.map(({ algorithms, namespaces }) => [algorithms[0], namespaces])).toEqual([
      ['RS256', new Set(['a', 'b'])],
      ['ES256', '*'],
    ]);
  });

  test('of one file all count, but of a chain of certificates the first one', async () => {
    const pairs = [
      generateKeyPairSync('ed25519'),
      generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    ];
    const path = write('two.pem', pairs.map(pem).join('A comment between.\n'));
    const chain = write('chain.pem', `${CERTIFICATE}${CERTIFICATE}`);
    const { keys } = await loadTrustedKeys([
      { path, namespaces: '*' },
      { path: chain, namespaces: '*' },
    ]);
    expect(keys.map(({ algorithms }) => algorithms[0])).toEqual(['EdDSA', 'ES256', 'ES256']);
  });

  test.each([
    [
      'of which one of several is none',
      () => {
        const key = pem(generateKeyPairSync('ed25519'));
        const broken = key.replace(/\n.*\n/, '\nbroken\n');
        return write('second.pem', key + broken);
      },
      /second.pem is not usable: key 2 of 2 is not a public key in PEM form/,
    ],
    [
      'that are too many',
      () =>
        write('many.pem', pem(generateKeyPairSync('ed25519')).repeat(AUTH_LIMITS.keysOfFile + 1)),
      /it has 33 keys; 32 are the most\./,
    ],
    ['that are missing', () => join(root, 'missing.pem'), /it cannot be read/],
    ['that are no keys', () => write('text.pem', 'hello'), /it is not a public key in PEM form/],
    [
      'that are private',
      () => {
        const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
        return write('private.pem', String(privateKey.export({ type: 'pkcs8', format: 'pem' })));
      },
      /it is a private key, and the public one is wanted; "openssl pkey -in .*private.pem -pubout" writes it/,
    ],
    [
      'that are weak',
      () => write('weak.pem', pem(generateKeyPairSync('rsa', { modulusLength: 1024 }))),
      /only RSA of 2048 bits or more/,
    ],
    [
      'of other kinds',
      () => write('x.pem', pem(generateKeyPairSync('x25519'))),
      /only RSA of 2048 bits or more/,
    ],
  ])('%s are refused, naming the file', async (_, file, why) => {
    const path = file();
    const loading = loadTrustedKeys([{ path, namespaces: '*' }]);
    await expect(loading).rejects.toThrow(`The key ${path} is not usable:`);
    await expect(loading).rejects.toThrow(why);
  });
});
