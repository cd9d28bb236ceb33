import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { projectOf, type TestIdentity, testIdOf, uuid5, variantIdOf } from './identity.ts';

const sha1 = (bytes: Uint8Array) => createHash('sha1').update(bytes).digest('hex');
const login: TestIdentity = {
  namespace: 'default',
  project: 'shop',
  technology: 'junit',
  suite: 'LoginTest',
  name: 'signs in',
};

test('a UUID of a name is that of RFC 9562', () => {
  const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
  expect(uuid5(dns, 'www.example.com', sha1)).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2');
});

test('the id of a test is the same everywhere', () => {
  expect(testIdOf(login, sha1)).toBe(testIdOf({ ...login }, sha1));
  expect(testIdOf(login, sha1)).toMatchInlineSnapshot(`"cf1c5fc4-c204-54b8-9fea-5e172e538cda"`);
});

test('each of its five parts makes another test', () => {
  const others = Object.keys(login).map((key) => testIdOf({ ...login, [key]: 'other' }, sha1));
  expect(new Set([testIdOf(login, sha1), ...others]).size).toBe(6);
});

test('parts do not run into each other', () => {
  const [one, other] = [
    { ...login, suite: 'a', name: 'b","c' },
    { ...login, suite: 'a","b', name: 'c' },
  ];
  expect(testIdOf(one, sha1)).not.toBe(testIdOf(other, sha1));
});

test('a variant is a test with its job and its function', () => {
  const id = testIdOf(login, sha1);
  const variants = [
    { job: 'e2e/0', function: 'junit/execute@v1' },
    { job: 'e2e/1', function: 'junit/execute@v1' },
    { job: 'e2e/0', function: '' },
  ].map((variant) => variantIdOf(id, variant, sha1));
  expect(new Set(variants).size).toBe(3);
});

test('the project of a workflow is its label, else its name', () => {
  const labels = new Map([['tutti/project', 'shop']]);
  expect(projectOf({ name: 'nightly', labels })).toBe('shop');
  expect(projectOf({ name: 'nightly', labels: new Map() })).toBe('nightly');
});
