/** The place of a verdict, and the refused places. */
import { expect, test } from 'vitest';
import { addPlugin, type GitlabParameters } from '../options/plugin-option.ts';
import type { UsageError } from '../terminal/problem.ts';
import { gitlabPlace } from './gitlab-place.ts';

const SECRET = 'glpat-very-secret';
const CI = {
  GITLAB_CI: 'true',
  CI_SERVER_URL: 'https://gitlab.example.com',
  CI_PROJECT_ID: '8',
  CI_MERGE_REQUEST_PROJECT_ID: '7',
  CI_MERGE_REQUEST_IID: '12',
  GITLAB_TOKEN: 'of-the-variable',
};
const ALL = { server: 'https://git.example.org/gitlab/', project: 'group/shop', token: SECRET };

/** Parses parameters like the command line. */
const parameters = (...texts: readonly string[]): GitlabParameters =>
  texts.reduce<GitlabParameters>((before, text) => addPlugin(text, before), {});

function refusal(action: () => unknown): readonly [string, string | null] {
  try {
    action();
  } catch (error) {
    const { message, next } = error as UsageError;
    return [message, next];
  }
  throw new Error('Nothing was refused.');
}

test('parameters say all of it', () => {
  const given = parameters(
    'gitlab:server=https://git.example.org/gitlab/',
    'gitlab:project=group/shop',
    'gitlab:issue=3',
    'gitlab:keep-history=True',
    `gitlab:token=${SECRET}`,
    'gitlab:label=Nightly=run',
    'gitlab:cats=true',
  );
  expect(gitlabPlace(given, { GITLAB_TOKEN: 'another' })).toEqual({
    server: 'https://git.example.org/gitlab',
    project: 'group/shop',
    target: { kind: 'issues', iid: '3' },
    token: SECRET,
    keepsHistory: true,
    labelPrefix: 'Nightly=run',
    hasCats: true,
    caFile: null,
  });
});

test('a job of a merge request supplies missing parameters', () => {
  const given = parameters('gitlab:label=default');
  const env = { ...CI, CI_SERVER_TLS_CA_FILE: '/builds/ca.crt' };
  expect(gitlabPlace(given, env)).toEqual({
    server: 'https://gitlab.example.com',
    project: '7',
    target: { kind: 'merge_requests', iid: '12' },
    token: 'of-the-variable',
    keepsHistory: false,
    labelPrefix: 'QualityGate',
    hasCats: false,
    caFile: '/builds/ca.crt',
  });
  const elsewhere = parameters('gitlab:issue=3', 'gitlab:server=https://other.example.com');
  expect(gitlabPlace(elsewhere, env)).toMatchObject({ project: '8', caFile: null });
});

test('a job without a merge request publishes nothing, unless it names one', () => {
  const { CI_MERGE_REQUEST_IID: _, ...env } = CI;
  expect(gitlabPlace({}, env)).toBeNull();
  expect(gitlabPlace(parameters('gitlab:mr=5'), env)?.target.iid).toBe('5');
});

test.each<[GitlabParameters, string]>([
  [{ ...ALL }, '--plugin does not say gitlab:mr or gitlab:issue, and this is no job of GitLab CI'],
  [{ mr: '1', token: SECRET }, '--plugin does not say gitlab:server'],
  [{ mr: '1', token: SECRET, server: ALL.server }, '--plugin does not say gitlab:project'],
  [{ ...ALL, mr: '1', issue: '2' }, '--plugin names a merge request and an issue'],
  [{ ...ALL, mr: '!12' }, 'gitlab:mr is a number'],
  [{ ...ALL, issue: '0' }, 'gitlab:issue is a number'],
  [{ ...ALL, mr: '1', server: 'gitlab.example.com' }, 'gitlab:server is no address of a server.'],
  [
    { ...ALL, mr: '1', server: `https://u:${SECRET}@h` },
    'gitlab:server is no address of a server.',
  ],
  [{ ...ALL, mr: '1', server: 'file:///etc' }, 'gitlab:server is no address of a server.'],
  [{ ...ALL, mr: '1', token: '' }, 'There is no token for GitLab.'],
  [{ ...ALL, mr: '1', token: `${SECRET}\n` }, 'The token for GitLab has characters'],
  [{ ...ALL, mr: '1', 'keep-history': 'perhaps' }, 'gitlab:keep-history is true or false.'],
  [{ ...ALL, mr: '1', cats: '3' }, 'gitlab:cats is true or false.'],
])('%j is refused without showing the token', (given, message) => {
  const [actual, next] = refusal(() => gitlabPlace(given, {}));
  expect(actual).toContain(message);
  expect(next).not.toBeNull();
  expect(`${actual}${next}`).not.toContain(SECRET);
});

test.each([
  [[`gitlab:token:${SECRET}`], '--plugin takes plugin:name=value.'],
  [[SECRET], '--plugin takes plugin:name=value.'],
  [[`github:token=${SECRET}`], 'There is no plugin "github" for verdicts; there is "gitlab".'],
  [[`gitlab:tokens=${SECRET}`], 'The plugin gitlab has no parameter "tokens".'],
  [[`gitlab:token=${SECRET}`, 'gitlab:token=other'], '--plugin gives gitlab:token twice.'],
])('--plugin %j is refused without showing the token', (texts, message) => {
  const [actual, next] = refusal(() => parameters(...texts));
  expect(actual).toBe(message);
  expect(`${actual}${next}`).not.toContain(SECRET);
});
