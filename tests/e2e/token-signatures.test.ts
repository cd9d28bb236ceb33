/** Signatures of the command line, against those of others. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { decodeToken, isSignedBy, signToken } from '../../cli/src/tokens/token-signature.ts';
import { signedToken } from '../support/tokens.ts';

interface Pair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const p521 = generateKeyPairSync('ec', { namedCurve: 'P-521' });
const ed25519 = generateKeyPairSync('ed25519');

const ALGORITHMS: readonly (readonly [string, Pair])[] = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].map((each) => [each, rsa] as const),
  ['ES256', p256],
  ['ES384', p384],
  ['ES512', p521],
  ['EdDSA', ed25519],
];

test.each(ALGORITHMS)('a token of %s is taken by others, and theirs by us', async (alg, pair) => {
  const token = signToken({ sub: 'ci', exp: undefined }, pair.privateKey, alg);
  expect((await jwtVerify(token, pair.publicKey, { algorithms: [alg] })).payload).toEqual({
    sub: 'ci',
  });
  const theirs = decodeToken(
    signedToken(pair.privateKey, { header: { alg }, claims: { sub: 'a' } }),
  );
  expect(theirs !== null && isSignedBy(theirs, pair.publicKey, [alg])).toBe(true);
});
