import { generateKeyPairSync } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { claimsOfOwnToken, signOwnToken } from './own-token.ts';

const ours = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const others = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const CLAIMS = { sub: 'admin', iss: 'tutti', iat: 1 };

test('other libraries can verify our tokens', async () => {
  const token = signOwnToken({ ...CLAIMS, exp: undefined }, ours.privateKey);
  expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', typ: 'JWT' });
  expect((await jwtVerify(token, ours.publicKey)).payload).toEqual(CLAIMS);
  await expect(jwtVerify(token, others.publicKey)).rejects.toThrow('signature');
});

test('a token that another library signed in the same way is ours', async () => {
  const header = { alg: 'ES256', typ: 'JWT' };
  const token = await new SignJWT(CLAIMS).setProtectedHeader(header).sign(ours.privateKey);
  expect(claimsOfOwnToken(token, ours.publicKey)).toEqual(CLAIMS);
});

const token = signOwnToken(CLAIMS, ours.privateKey);
const [header, payload, signature] = token.split('.');
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

test.each([
  ['nothing', ''],
  ['rubbish', 'a.b.c'],
  ['without a signature', `${header}.${payload}.`],
  ['with a part more', `${token}.`],
  ['with other claims', `${header}.${encode({ sub: 'root' })}.${signature}`],
  ['with another header', `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.${signature}`],
  ['of another key', signOwnToken(CLAIMS, others.privateKey)],
])('a text is not ours: %s', (_, text) => {
  expect(claimsOfOwnToken(text, ours.publicKey)).toBeNull();
});
