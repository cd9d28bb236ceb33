import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect, test } from 'vitest';
import { decodeToken, isSignedBy, signToken } from './token-signature.ts';

interface Pair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherRsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const UNSIGNED = `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`;

test.each<[string, string, Pair, readonly string[]]>([
  ['another key', signToken({ sub: 'a' }, otherRsa.privateKey, 'RS512'), rsa, ['RS512']],
  [
    'an algorithm that the key has not',
    signToken({ sub: 'a' }, rsa.privateKey, 'RS512'),
    rsa,
    ['RS256'],
  ],
  ['nobody', UNSIGNED, rsa, ['RS256']],
  [
    'nobody any more, as it was changed',
    changed(signToken({ sub: 'a' }, rsa.privateKey, 'RS512')),
    rsa,
    ['RS512'],
  ],
])('a token is not taken that is signed by %s', (_what, token, pair, algorithms) => {
  const decoded = decodeToken(token);
  expect(decoded !== null && isSignedBy(decoded, pair.publicKey, algorithms)).toBe(false);
});

function changed(token: string): string {
  const [header, , signature] = token.split('.');
  return `${header}.${Buffer.from('{"sub":"b"}').toString('base64url')}.${signature}`;
}

test.each(['', 'a', 'a.b.c', 'e30.e30', 'e30.W10.x', 'e30.e30.x.y'])('"%s" is no token', (text) => {
  expect(decodeToken(text)).toBeNull();
});
