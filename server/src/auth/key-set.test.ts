import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { isOrchestratorError } from '@tutti/manifests';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseKeySet } from './key-set.ts';
import { keySetAddress } from './key-set-fetch.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey;
const jwk = (key: KeyObject, more: object = {}) => ({ ...key.export({ format: 'jwk' }), ...more });
const parse = (...keys: readonly unknown[]) => parseKeySet(JSON.stringify({ keys }), '*');

test('the keys of a set have their ids and the algorithms they can have signed by', () => {
  const keys = parse(
    jwk(publicKey, { kid: 'one', use: 'sig' }),
    jwk(rsa, { alg: 'PS512' }),
    jwk(generateKeyPairSync('ed25519').publicKey),
  );
  expect(keys.map(({ id, algorithms }) => [id, algorithms])).toEqual([
    ['one', ['ES256']],
    [undefined, ['PS512']],
    [undefined, ['EdDSA', 'Ed25519']],
  ]);
});

test.each<[string, unknown]>([
  ['a shared secret', { kty: 'oct', k: 'c2VjcmV0', alg: 'HS256' }],
  ['a key for encryption', jwk(rsa, { use: 'enc' })],
  ['a weak key', jwk(weak)],
  ['a private key', jwk(privateKey)],
  ['a key of an algorithm that does not fit it', jwk(rsa, { alg: 'HS256' })],
  ['half a key', { kty: 'EC', crv: 'P-256' }],
  ['text', 'key'],
  ['null', null],
])('%s is left out', (_, key) => {
  expect(parse(key, jwk(publicKey))).toHaveLength(1);
});

test.each([
  ['text', 'hello'],
  ['null', 'null'],
  ['a list', '[]'],
  ['keys that are no list', '{"keys": {}}'],
])('%s is no key set', (_, text) => {
  expect(() => parseKeySet(text, '*')).toThrow('It is not a JSON Web Key Set.');
});

test('a set of too many keys is refused', () => {
  const keys = Array.from({ length: 101 }, () => jwk(publicKey));
  expect(() => parse(...keys)).toThrow('It has 101 keys; 100 are the most.');
});

describe('the address of a key set', () => {
  test.each([
    'https://login.example.com/keys',
    'http://127.0.0.1:8080/keys',
    'http://127.1.2.3/keys',
    'http://localhost/keys',
    'http://[::1]:8080/keys',
  ])('%s is taken', (url) => {
    expect(keySetAddress(url).href).toBe(url);
  });

  test.each([
    ['http://login.example.com/keys', 'it must begin with https://'],
    ['http://127.0.0.1.example.com/keys', 'it must begin with https://'],
    ['http://10.0.0.1/keys', 'it must begin with https://'],
    ['file:///etc/passwd', 'it must begin with https://'],
    ['https://', 'it is not a URL'],
    ['https://me:s3cret@example.com/', 'it has a user or a password'],
  ])('%s is refused', (url, why) => {
    expect(() => keySetAddress(url)).toThrow(why);
    expect(() => keySetAddress(url)).not.toThrow('s3cret');
  });
});

test('whatever an authority answers is read or refused', () => {
  const member = fc.constantFrom('kty', 'crv', 'x', 'y', 'n', 'e', 'use', 'alg', 'kid', 'd');
  const value = fc.oneof(fc.constantFrom('EC', 'RSA', 'OKP', 'P-256', 'AQAB'), fc.jsonValue());
  const document = fc.record({ keys: fc.array(fc.dictionary(member, value)) });
  fc.assert(
    fc.property(fc.oneof(fc.json(), document.map(JSON.stringify)), (text) => {
      try {
        return Array.isArray(parseKeySet(text, '*'));
      } catch (error) {
        return isOrchestratorError(error);
      }
    }),
  );
});
