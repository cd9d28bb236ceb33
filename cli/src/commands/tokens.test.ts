/** The commands about tokens that ask no server. */
import { execFileSync } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';
import { signToken } from '../tokens/token-signature.ts';

const folder = mkdtempSync(join(tmpdir(), 'tutti-tokens-'));
const path = (name: string) => join(folder, name);
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const small = generateKeyPairSync('rsa', { modulusLength: 1024 });
const PKCS8 = { type: 'pkcs8', format: 'pem' } as const;
const SPKI = { type: 'spki', format: 'pem' } as const;

beforeAll(() => {
  writeFileSync(path('private.pem'), rsa.privateKey.export(PKCS8));
  writeFileSync(path('public.pem'), rsa.publicKey.export(SPKI));
  writeFileSync(path('small.pem'), small.privateKey.export(PKCS8));
  const secret = { ...PKCS8, cipher: 'aes-256-cbc', passphrase: 'open sesame' };
  writeFileSync(path('secret.pem'), rsa.privateKey.export(secret));
  writeFileSync(path('passphrase'), 'open sesame\n');
  writeFileSync(path('wrong'), 'close sesame\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

const run = (args: string, input = '', secret?: string) =>
  runCommand(['tokens', ...args.replaceAll('@', `${folder}/`).split(' ')], { input, secret });
const sign = (claims: object) => signToken({ ...claims }, rsa.privateKey, 'RS256');

async function create(args: string): Promise<string> {
  const { code, stdout, stderr } = await run(`create --subject ci ${args}`);
  expect([code, stderr]).toEqual([0, '']);
  return stdout.trim();
}

test('a token of a key of its user has its claims, and the usual algorithm', async () => {
  const token = await create('--key @private.pem --issuer us --namespaces a,b --expires-in 1h');
  const { stdout } = await run('show -o json -', token);
  const { header, claims, isVerified } = JSON.parse(stdout);
  expect([header, isVerified]).toEqual([{ alg: 'RS512', typ: 'JWT' }, false]);
  expect(claims).toEqual({
    jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    tutti: { namespaces: ['a', 'b'] },
    iss: 'us',
    sub: 'ci',
    iat: expect.any(Number),
    exp: claims.iat + 3600,
  });
  expect((await run('check --public-key @public.pem -', token)).code).toBe(0);
});

test('an algorithm is taken that fits the key', async () => {
  const token = await create('--key @private.pem --algorithm PS256');
  expect((await run('check --public-key @public.pem -', token)).stdout).toContain('PS256');
});

test('the passphrase of a key comes from a file, or is asked for', async () => {
  const token = await create('--key @secret.pem --passphrase-file @passphrase');
  expect((await run('check --public-key @public.pem -', token)).code).toBe(0);
  const asked = await run('create --subject ci --key @secret.pem', '', 'open sesame');
  expect([asked.code, asked.stderr]).toEqual([0, '']);
});

test.each([
  [
    'create --subject ci --key @secret.pem',
    'The key @secret.pem has a passphrase.',
    'name a file that has it with --passphrase-file, or call this on a terminal.',
  ],
  [
    'create --subject ci --key @secret.pem --passphrase-file @wrong',
    '@secret.pem cannot be opened with that passphrase.',
    'give the right one; the file must be a private key in PEM form.',
  ],
  [
    'create --subject ci --key @public.pem',
    '@public.pem is no private key in PEM form.',
    'name one, as "openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:3072" writes it.',
  ],
  [
    'create --subject ci --key @small.pem',
    'Servers accept no tokens of the key @small.pem.',
    'take an RSA key of 2048 bits or more, P-256, P-384, P-521 or Ed25519.',
  ],
  [
    'create --subject ci --key @private.pem --algorithm ES256',
    'The key @private.pem does not sign with ES256.',
    'take RS256, RS384, RS512, PS256, PS384, PS512, or leave out --algorithm.',
  ],
  [
    'create --subject ci --key @private.pem --data-dir @data',
    '--key and --data-dir both name a key.',
    'leave one of them out.',
  ],
  [
    'create --subject ci --data-dir @data --algorithm RS512',
    'Keys of data directories sign with ES256, and have no passphrase.',
    'name a key of your own with --key, or leave out --algorithm and --passphrase-file.',
  ],
  [
    'rotate --data-dir @data',
    '@data has no key, so there are no tokens to revoke.',
    'name the data directory of the server with --data-dir or TUTTI_DATA_DIR; a new one gets its key when its server starts.',
  ],
  [
    'revoke --id one --data-dir @nowhere',
    '@nowhere has no key, so it is the data directory of no server.',
    'name the data directory of the server with --data-dir or TUTTI_DATA_DIR.',
  ],
  [
    'revoke --id one a.b.c',
    'One token is revoked at a time, and it is named once.',
    'name the token, a file with it (--token-file), its id (--id) or its hash (--sha256).',
  ],
  [
    'revoke --sha256 12',
    '--sha256 takes 64 hexadecimal digits, and "12" is something else.',
    'name the token itself, or its id with --id.',
  ],
  [
    'show',
    'No token is given.',
    'name a file with --token-file, or send the token on standard input with -.',
  ],
  [
    'show nonsense',
    'That is no signed token (JWT).',
    'give the token alone; those of auth.tokenFile are plain words, of which only the server knows more.',
  ],
  [
    'check --public-key @public.pem --server http://a.example a',
    'A token is checked with a key, or by a server.',
    'leave out --public-key, or --online, --server and --context.',
  ],
])('"tokens %s" is refused', async (args, what, next) => {
  const { code, stdout, stderr } = await run(args);
  const actual = `tutti: ${what}\nWhat to do: ${next}\n`.replaceAll('@', `${folder}/`);
  expect([stderr, stdout, code]).toEqual([actual, '', 2]);
  expect(existsSync(path('data'))).toBe(false);
});

test('the claims of a token are shown in lines, with its remaining time', async () => {
  const token = sign({
    sub: 'ci',
    iss: 'us',
    exp: 86_400 * 30,
    iat: 0,
    tutti: { verbs: ['list'] },
    team: 1,
  });
  const { code, stdout, stderr } = await run('show -', token);
  expect(stdout).toBe(
    [
      'Subject     ci',
      'Issuer      us',
      'Algorithm   RS256',
      'Issued      1970-01-01 00:00:00 UTC',
      'Expires     1970-01-31 00:00:00 UTC, in 30 days',
      'Namespaces  all that its key reaches',
      'Resources   all',
      'Verbs       list',
      'team        1',
      '',
    ].join('\n'),
  );
  expect(stderr).toBe('Not verified: anybody can write this. "tutti tokens check" verifies it.\n');
  expect(code).toBe(0);
});

test.each([
  ['a valid token', sign({ sub: 'a', exp: 1 }), 0, ''],
  [
    'a token that has expired',
    sign({ sub: 'a', exp: -7200 }),
    2,
    'tutti: The token has expired: 1969-12-31 22:00:00 UTC, 2 hours ago.\nWhat to do: make another one with "tutti tokens create".\n',
  ],
  [
    'a token of the future',
    sign({ sub: 'a', nbf: 60 }),
    2,
    'tutti: The token is not valid yet: 1970-01-01 00:01:00 UTC, in 60 seconds.\nWhat to do: wait, or correct the clock of this machine.\n',
  ],
  [
    'a token with restrictions that nobody can read',
    sign({ sub: 'a', tutti: { verb: ['list'] } }),
    2,
    'tutti: The restrictions of the token cannot be read, so that servers refuse it.\nWhat to do: make another one with "tutti tokens create".\n',
  ],
  [
    'a token of another key',
    signToken({}, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, 'RS256'),
    102,
    'tutti: That key has not signed the token.\nWhat to do: check it with the key of who issued it, or ask the server: "tutti tokens check --online".\n',
  ],
])('%s is checked with a public key', async (_what, token, expected, actual) => {
  const { code, stderr } = await run('check --public-key @public.pem -', token);
  expect([stderr, code]).toEqual([actual, expected]);
});

test('a token is checked with the key of the data directory, before and after a rotation', async () => {
  const made = await run('create --subject ci --data-dir @own');
  expect((await run('check --data-dir @own -', made.stdout)).code).toBe(0);
  const rotated = await run('rotate --data-dir @own');
  expect([rotated.code, rotated.stderr]).toEqual([0, '']);
  expect(rotated.stdout).toContain(`New token of the administrator: ${path('own/admin.token')}\n`);
  expect((await run('check --data-dir @own -', made.stdout)).code).toBe(102);
  expect((await run('check --data-dir @own --token-file @own/admin.token')).code).toBe(0);
});

test('a token is revoked by itself, by its id and by its hash, and others go on', async () => {
  const make = async () =>
    (await run('create --subject ci --expires-in 1h --data-dir @list')).stdout.trim();
  const [first, second, third, kept] = [await make(), await make(), await make(), await make()];
  expect((await run('revoked --data-dir @list')).stdout).toBe('No token is revoked.\n');
  const { jti } = JSON.parse(Buffer.from(second.split('.')[1] ?? '', 'base64url').toString());
  const signed = third.slice(0, third.lastIndexOf('.'));
  const hash = createHash('sha256').update(signed).digest('hex');
  const actual = await run('revoke --data-dir @list -', first);
  expect([actual.code, actual.stderr]).toEqual([0, '']);
  expect(actual.stdout).toMatch(
    /^Revoked: the token of ci \(sha256 [0-9a-f]{64}\)\. A running server refuses it within a second\.\n$/,
  );
  expect((await run(`revoke --data-dir @list --id ${jti}`)).code).toBe(0);
  expect((await run(`revoke --data-dir @list --sha256 ${hash}`)).code).toBe(0);
  for (const token of [first, second, third]) {
    const { code, stderr } = await run('check --data-dir @list -', token);
    expect([code, stderr.split('\n')[0]]).toEqual([
      2,
      `tutti: The token was revoked, as ${path('list')} says.`,
    ]);
  }
  expect((await run('check --data-dir @list -', kept)).code).toBe(0);
  const listed = await run('revoked --data-dir @list');
  expect(listed.stdout).toMatch(/^SUBJECT +TOKEN +REVOKED +EXPIRES *\nci +sha256 /);
  const entries = JSON.parse((await run('revoked --data-dir @list -o json')).stdout);
  expect(entries).toMatchObject([{ subject: 'ci' }, { id: jti }, { sha256: hash }]);
});

test("revoking the administrator's token makes a new one", async () => {
  await run('create --subject ci --data-dir @admin');
  await run('rotate --data-dir @admin');
  const before = readFileSync(path('admin/admin.token'), 'utf8');
  expect((await run('revoke --data-dir @admin --token-file @admin/admin.token')).code).toBe(0);
  expect(readFileSync(path('admin/admin.token'), 'utf8')).not.toBe(before);
});

test('a token that openssl can check', async () => {
  writeFileSync(path('ci.token'), await create('--key @private.pem --algorithm RS256'));
  const [header, claims, signature = ''] = readFileSync(path('ci.token'), 'utf8').trim().split('.');
  writeFileSync(path('content'), `${header}.${claims}`);
  writeFileSync(path('signature'), Buffer.from(signature, 'base64url'));
  const args = ['dgst', '-sha256', '-verify', path('public.pem'), '-signature', path('signature')];
  expect(String(execFileSync('openssl', [...args, path('content')]))).toContain('Verified OK');
});
