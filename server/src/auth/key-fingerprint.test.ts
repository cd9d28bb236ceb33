import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { fingerprintOf, keyIdOf } from './key-fingerprint.ts';
import { AUTH_LIMITS } from './limits.ts';
import { trustedKey } from './trusted-keys.ts';

/** `openssl pkey -pubin -outform DER | openssl dgst -sha256 -binary | basenc --base64url` prints more of it. */
const PEM = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
-----END PUBLIC KEY-----
`;

test('a fingerprint is the beginning of the digest of the key', () => {
  expect(fingerprintOf(createPublicKey(PEM))).toBe('sha256:BuP9j9opu2CrWVV9');
});

test('a key is named by its id, and one without an id or with a very long one by its fingerprint', () => {
  const { publicKey } = generateKeyPairSync('ed25519');
  const key = trustedKey(publicKey, '*', 'a key');
  const fingerprint = fingerprintOf(publicKey);
  expect(keyIdOf(key)).toBe(fingerprint);
  expect(keyIdOf({ ...key, id: 'mine' })).toBe('mine');
  expect(keyIdOf({ ...key, id: 'm'.repeat(AUTH_LIMITS.keyIdLength + 1) })).toBe(fingerprint);
});
