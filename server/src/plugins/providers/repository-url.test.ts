import type { RepositoryResource } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { repositoryUrl } from './repository-url.ts';

const shop: RepositoryResource = {
  name: 'shop',
  type: 'github',
  repository: 'team/shop.git',
  endpoint: 'https://user:token@git.example.org/',
};

const USED = 'https://user:token@git.example.org/team/shop';

test.each<[given: unknown, used: string]>([
  ['https://git.example.org/team/shop.git', `${USED}.git`],
  ['https://git.example.org/team/shop', USED],
  ['https://git.example.org/team/shop/', `${USED}/`],
  ['https://GIT.example.org/team/shop', USED],
  ['https://other:key@git.example.org/team/shop', USED],
  ['http://git.example.org/team/shop', 'http://git.example.org/team/shop'],
  ['https://git.example.org/team/other', 'https://git.example.org/team/other'],
  ['https://git.example.org:8443/team/shop', 'https://git.example.org:8443/team/shop'],
  ['git@git.example.org:team/shop.git', 'git@git.example.org:team/shop.git'],
  ['/srv/git/shop', '/srv/git/shop'],
  [shop, `${USED}.git`],
  // Language 1.9: A checkout of the address of a resource uses its credentials, whatever the step says.
  // Language 1.9: A resource may be given as a whole.
])('a checkout of %j uses %s', (given, used) => {
  expect(repositoryUrl(given, [shop])).toBe(used);
});

test.each([1, true, {}, { endpoint: 'https://a' }, null])('%j is no repository', (given) => {
  expect(() => repositoryUrl(given, [shop])).toThrow('expected an address, or a repository');
});

test('an endpoint with many slashes takes no longer than its length', () => {
  const endpoint = `https://git.example.org${'/'.repeat(300_000)}x`;
  expect(repositoryUrl({ ...shop, endpoint }, [])).toBe(`${endpoint}/team/shop.git`);
});
