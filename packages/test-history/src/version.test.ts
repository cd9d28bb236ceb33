import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { branchOf, isMainBranch, type VersionFacts, versionOf } from './version.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const unknown: VersionFacts = { requested: null, checkouts: [], repeated: null, services: [] };
const shop = { repository: 'https://example.com/shop.git', commit: 'a1', branch: 'main' };
const lib = { repository: 'https://example.com/lib.git', commit: 'b2', branch: null };
const version = (facts: Partial<VersionFacts>) => versionOf({ ...unknown, ...facts }, sha256);

test('the version is that of the request, else of the checkouts, else of the repeated run', () => {
  const checkouts = [shop];
  expect(version({ requested: 'v1', checkouts, repeated: 'v0' })).toBe('v1');
  expect(version({ checkouts, repeated: 'v0' })).toMatch(/^[\da-f]{64}$/);
  expect(version({ repeated: 'v0' })).toBe('v0');
  expect(version({})).toBeNull();
});

test('checkouts make one version in any order, and another one with another commit', () => {
  expect(version({ checkouts: [shop, lib] })).toBe(version({ checkouts: [lib, shop, lib] }));
  expect(version({ checkouts: [shop] })).not.toBe(
    version({ checkouts: [{ ...shop, commit: 'c' }] }),
  );
});

test('versions of deployed services are added', () => {
  expect(version({ requested: 'v1', services: ['api 7', 'api 7', 'db 2'] })).toBe(
    'v1 + api 7 + db 2',
  );
  expect(version({ services: ['api 7'] })).toBe('api 7');
  const long = Array.from({ length: 60 }, (_, at) => `service ${at}`);
  expect(version({ requested: 'v1', services: long })).toMatch(/^[\da-f]{64}$/);
  expect(version({ repeated: 'v1 + api 7', services: ['api 7'] })).toBe('v1 + api 7');
});

test('the branch is that of the request, else of a checkout, else of the repeated run', () => {
  const facts = { requested: null, checkouts: [lib, shop], repeated: 'old' };
  expect(branchOf({ ...facts, requested: 'refs/heads/topic/1' })).toBe('topic/1');
  expect(branchOf(facts)).toBe('main');
  expect(branchOf({ ...facts, checkouts: [lib] })).toBe('old');
  expect(branchOf({ ...facts, checkouts: [], repeated: null })).toBeNull();
});

test('executions on main branches count for states, and those without a branch', () => {
  const counts = ['main', 'topic', null].map((branch) => isMainBranch(branch, ['main', 'trunk']));
  expect(counts).toEqual([true, false, true]);
});
