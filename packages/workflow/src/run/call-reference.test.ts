// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import { describe, expect, test } from 'vitest';
import { parseCall, referenceText } from './call-reference.ts';

const REPOSITORIES = ['shop', 'shop/old', 'a b'];
const COMMIT = '0123456789abcdef0123456789abcdef01234567';

describe('a call', () => {
  test.each<[string, string, string, string | null]>([
    ['shop/checks.yaml@v1', 'shop', 'checks.yaml', 'v1'],
    ['shop/tests/checks.yaml', 'shop', 'tests/checks.yaml', null],
    ['shop/tests/checks.yaml@feature/one', 'shop', 'tests/checks.yaml', 'feature/one'],
    ['shop/checks.yaml@pkg@1.2.3', 'shop', 'checks.yaml', 'pkg@1.2.3'],
    [`shop/checks.yaml@${COMMIT}`, 'shop', 'checks.yaml', COMMIT],
    ['shop/checks.yaml@refs/tags/v1', 'shop', 'checks.yaml', 'refs/tags/v1'],
    ['shop/old/checks.yaml', 'shop/old', 'checks.yaml', null],
    ['shop/older/checks.yaml', 'shop', 'older/checks.yaml', null],
    ['a b/-x y/..checks.yaml@é', 'a b', '-x y/..checks.yaml', 'é'],
    [
      'https://example.org/team/shop.git/tests/a.yaml@v1',
      'https://example.org/team/shop.git',
      'tests/a.yaml',
      'v1',
    ],
    ['file:///srv/a.git/b.git/c.yaml', 'file:///srv/a.git', 'b.git/c.yaml', null],
    // Language 1.14: The form of the reference.
  ])('%s is of a file in a repository', (uses, repository, path, ref) => {
    const expected = { kind: 'repository', repository, path, ref };
    const call = parseCall(uses, REPOSITORIES);
    expect(call).toEqual(expected);
    if (call.kind === 'repository') expect(referenceText(call)).toBe(uses);
  });

  test('with a dot and a slash is of a file that comes with the run', () => {
    const call = parseCall('./shop/checks.yaml@v1', REPOSITORIES);
    expect(call).toEqual({ kind: 'file', file: 'shop/checks.yaml@v1' });
  });

  test('names any repository where nobody knows which there are', () => {
    const call = parseCall('other/checks.yaml@v1', null);
    expect(call).toMatchObject({ kind: 'repository', repository: 'other', path: 'checks.yaml' });
  });

  const path = (text: string) => `"${text}" is no path of a file in a repository`;
  const ref = (text: string) => `"${text}" is no branch, tag or commit`;
  test.each<[string, string]>([
    ['shop/', path('')],
    ['shop/@v1', path('')],
    ['shop//checks.yaml', path('/checks.yaml')],
    ['shop/tests/@v1', path('tests/')],
    ['shop/../checks.yaml', path('../checks.yaml')],
    ['shop/tests/../../checks.yaml', path('tests/../../checks.yaml')],
    ['shop/./checks.yaml', path('./checks.yaml')],
    ['shop/tests\\checks.yaml', path('tests\\checks.yaml')],
    ['shop/a\nb.yaml', path('a\nb.yaml')],
    ['shop/a\0b.yaml', path('a\0b.yaml')],
    ['shop/${{ x }}.yaml', path('${{ x }}.yaml')],
    [`shop/${'x'.repeat(2000)}`, path('x'.repeat(100))],
    ['shop/c.yaml@', ref('')],
    ['shop/c.yaml@--upload-pack=touch', ref('--upload-pack=touch')],
    ['shop/c.yaml@-v', ref('-v')],
    ['shop/c.yaml@+main', ref('+main')],
    ['shop/c.yaml@main:refs/heads/x', ref('main:refs/heads/x')],
    ['shop/c.yaml@a b', ref('a b')],
    ['shop/c.yaml@a..b', ref('a..b')],
    ['shop/c.yaml@HEAD~1', ref('HEAD~1')],
    ['shop/c.yaml@HEAD^', ref('HEAD^')],
    ['shop/c.yaml@x@{1}', ref('x@{1}')],
    ['shop/c.yaml@*', ref('*')],
    ['shop/c.yaml@x.lock', ref('x.lock')],
    ['shop/c.yaml@x/', ref('x/')],
    ['shop/c.yaml@/x', ref('/x')],
    ['shop/c.yaml@x//y', ref('x//y')],
    ['shop/c.yaml@x\ny', ref('x\ny')],
    ['shop/c.yaml@${{ x }}', ref('${{ x }}')],
    [`shop/c.yaml@${'x'.repeat(256)}`, ref('x'.repeat(100))],
    [
      'nowhere/c.yaml@v1',
      '"nowhere" is no repository of the resources; files that come with the run are called as "./NAME"',
    ],
    [
      'c.yaml@v1',
      'expected REPOSITORY/PATH@REF; files that come with the run are called as "./NAME"',
    ],
    [
      'https://user:token@example.org/shop.git/c.yaml',
      'credentials in an address would be shown: declare the repository in the resources',
    ],
    [
      'https://example.org/shop/c.yaml',
      '"https:" is no repository of the resources; files that come with the run are called as "./NAME"',
    ],
    // Language 1.14: The form of the reference.
  ])('%j is none', (uses, why) => {
    expect(parseCall(uses, REPOSITORIES)).toEqual({ kind: 'wrong', why });
  });
});
