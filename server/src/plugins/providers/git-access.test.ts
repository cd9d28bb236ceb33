import { describe, expect, test } from 'vitest';
import { gitAccess } from './git-access.ts';

describe('access to a repository', () => {
  test('has credentials in variables alone, for its host alone', () => {
    const { url, options, variables } = gitAccess(
      'linux',
      'https://me:a%20b@example.org:8443/x.git',
      [],
    );
    expect(url).toBe('https://example.org:8443/x.git');
    expect(options.join(' ')).toMatch(
      /^-c credential\.helper= -c credential\.https:\/\/example\.org:8443\.helper=!f/,
    );
    expect(variables).toEqual({
      GIT_TERMINAL_PROMPT: '0',
      TUTTI_GIT_USER: { value: 'me', verbatim: true },
      TUTTI_GIT_PASSWORD: { value: 'a b', verbatim: true },
    });
  });

  test('on Windows takes the carets away that variables have there', () => {
    const { options } = gitAccess('windows', 'https://token@example.org/x.git', []);
    expect(options.at(-1)).toContain("| sed 's/\\^\\(.\\)/\\1/g'; fi; }; f");
  });

  test.each([
    'git@example.org:x.git',
    'ssh://git@example.org/x',
    '/srv/x',
    'https://example.org/x',
  ])('of %s is as it stands', (address) => {
    expect(gitAccess('linux', address, [])).toEqual({
      url: address,
      options: [],
      variables: { GIT_TERMINAL_PROMPT: '0' },
    });
  });

  test('has no credentials with a line break', () => {
    expect(() => gitAccess('linux', 'https://a:b%0Ahost=x@example.org/x', [])).toThrow(
      'control character',
    );
  });
});
