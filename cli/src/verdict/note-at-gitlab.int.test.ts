/** Refusals of GitLab for a verdict, and other failures on the way there. */
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPaint } from '../terminal/style.ts';
import { GITLAB_TOKEN, type Gitlab, openGitlab } from '../testing/gitlab.ts';
import { openGitlab as openApi } from './gitlab-api.ts';
import type { GitlabPlace } from './gitlab-place.ts';
import { noteAtGitlab } from './note-at-gitlab.ts';
import type { VerdictNote } from './verdict.ts';

let gitlab: Gitlab;
beforeEach(async () => {
  gitlab = await openGitlab();
});
afterEach(() => gitlab.close());

const placeOf = (more: Partial<GitlabPlace> = {}): GitlabPlace => ({
  server: gitlab.url,
  project: '7',
  target: { kind: 'merge_requests', iid: '12' },
  token: GITLAB_TOKEN,
  keepsHistory: false,
  labelPrefix: null,
  hasCats: false,
  caFile: null,
  ...more,
});

const verdict = (mode = 'strict'): VerdictNote => ({
  workflowId: 'id-1',
  mode,
  status: 'SUCCESS',
  failed: [],
  hasMore: false,
  report: { status: 'SUCCESS', rules: [], warnings: [], takenOver: [], document: {} },
});

async function print(more: Partial<GitlabPlace> = {}, published: VerdictNote = verdict()) {
  const result = { said: '', complained: '' };
  await noteAtGitlab(placeOf(more), published, {
    print: (text) => {
      result.said += text;
    },
    io: {
      command: 'tutti',
      env: {},
      now: () => 0,
      screen: {
        write: () => {},
        isTerminal: false,
        hasColors: false,
        paint: createPaint(false),
        columns: () => 80,
      },
      complain: (text) => {
        result.complained += text;
      },
    },
  });
  return result;
}

const WHERE = 'merge request 12 of project 7';
const notes = () => gitlab.targets.get('merge_requests/12')?.notes ?? [];
const problem = (
  why: string,
  next: string,
  what = `The verdict is not posted to ${WHERE} of GitLab.`,
) => `tutti: ${what}\n  ${why}\nWhat to do: ${next}\n`;
const reply = (code: number, body: string) => (response: ServerResponse) =>
  void response.writeHead(code).end(body);

test('a wrong token is reported without showing it', async () => {
  const token = 'glpat-wrong-and-secret';
  const { said, complained } = await print({ token });
  expect([said, complained]).toEqual([
    '',
    problem(
      'It answers 401: 401 Unauthorized',
      'set GITLAB_TOKEN to a token with the scope api that is valid. That of a job (CI_JOB_TOKEN) may not write notes.',
    ),
  ]);
});

test('a missing merge request is reported', async () => {
  const { complained } = await print({ target: { kind: 'merge_requests', iid: '99' } });
  expect(complained).toContain('It answers 404: 404 Not found');
  expect(complained).toContain('check gitlab:project, and gitlab:mr or gitlab:issue');
});

test.each<[string, number, string, string, string]>([
  [
    'a role that may not',
    403,
    '{"message":"403 Forbidden"}',
    'It answers 403: 403 Forbidden',
    'give the user',
  ],
  [
    'what is wrong with a note',
    400,
    '{"message":{"note":["is too long"]}}',
    'It answers 400: {"note":["is too long"]}',
    'check what --plugin says',
  ],
  ['a server in trouble', 502, '<h1>Bad gateway</h1>', 'It answers 502.', 'try again later.'],
  [
    'an echo of the token',
    400,
    `{"error":"bad ${GITLAB_TOKEN}"}`,
    'It answers 400: bad ***',
    'check what',
  ],
  ['a redirect to nowhere', 302, '', 'It answers 302.', 'check what'],
  [
    'another server altogether',
    200,
    'Hello',
    'Its answer is not that of GitLab.',
    'check gitlab:server',
  ],
])('%s is reported', async (_what, code, body, why, next) => {
  gitlab.answer(/^POST/, reply(code, body));
  const { said, complained } = await print();
  expect(said).toBe('');
  expect(complained).toContain(`\n  ${why}\nWhat to do: ${next}`);
  expect(complained).not.toContain(GITLAB_TOKEN);
});

test('an unreachable server is reported', async () => {
  const { complained } = await print({ server: 'http://127.0.0.1:1' });
  expect(complained).toContain('http://127.0.0.1:1 cannot be reached: ECONNREFUSED.');
});

test('a redirect to another server gets no token', async () => {
  const other = await openGitlab();
  gitlab.answer(
    /^POST/,
    (response) => void response.writeHead(307, { location: `${other.url}/api/v4/x` }).end(),
  );
  const { complained } = await print();
  expect(complained).toContain('It answers 307.');
  expect(other.requests).toEqual([]);
  await other.close();
});

test('an answer that does not come, and one that does not end, are given up', async () => {
  const request = { method: 'GET', path: '/notes' } as const;
  gitlab.answer(/./, () => {});
  const late = await openApi(placeOf(), { timeoutMs: 20, answerBytesMax: 10 });
  await expect(late.send(request)).rejects.toThrow(
    'cannot be reached: there is no answer in 0.02 s',
  );
  gitlab.answer(/./, (response) => void response.write('x'.repeat(1_000)));
  const bounded = await openApi(placeOf(), { timeoutMs: 60_000, answerBytesMax: 100 });
  await expect(bounded.send(request)).rejects.toThrow('The answer has more than 100 bytes.');
});

test('an unreadable certificate is reported', async () => {
  const { complained } = await print({ caFile: '/no/such/ca.crt' });
  expect(complained).toContain('The file of CI_SERVER_TLS_CA_FILE cannot be read: ');
});

test('among earlier notes only those of the gate are removed, on all pages', async () => {
  const others = ['Looks good.', '> <!-- tutti quality gate strict -->\nquoted'];
  for (const published of [verdict(), verdict('stricter'), verdict()])
    await print({ keepsHistory: true }, published);
  notes().push(...others.map((body, index) => ({ id: index + 1, body })));
  const { complained } = await print();
  expect(complained).toBe('');
  expect(notes().map(({ body }) => body.split('\n')[0])).toEqual([
    '<!-- tutti quality gate stricter -->',
    ...others.map((body) => body.split('\n')[0]),
    '<!-- tutti quality gate strict -->',
  ]);
});

test('a note that is newer, as of a build at the same time, stays', async () => {
  await print();
  const [own] = notes();
  notes().push({ id: 900, body: own?.body ?? '' });
  await print();
  expect(notes().map(({ id }) => id)).toEqual([900, 102]);
});

test('a note that another process removed is no problem, one that stays is', async () => {
  await print();
  gitlab.answer(/^DELETE/, reply(404, '{"message":"404 Not found"}'));
  expect((await print()).complained).toBe('');
  gitlab.answer(/^DELETE/, reply(403, '{"message":"403 Forbidden"}'));
  const { said, complained } = await print();
  expect(said).toBe(`The verdict is posted to ${WHERE} of GitLab, as note 103.\n`);
  expect(complained).toContain('tutti: Notes of GitLab on earlier verdicts are not removed.\n');
});

test('a failed label is reported, and the note exists', async () => {
  gitlab.answer(/^PUT/, reply(403, '{"message":"403 Forbidden"}'));
  const { said, complained } = await print({ labelPrefix: 'Gate' });
  expect(said).toBe(`The verdict is posted to ${WHERE} of GitLab, as note 101.\n`);
  expect(complained).toContain(`tutti: GitLab does not set the label of ${WHERE}.\n`);
});

test('the name of a gate cannot end the hidden line', async () => {
  await print({}, verdict('a-->\n/close'));
  expect(notes()[0]?.body.split('\n').slice(0, 2)).toEqual([
    '<!-- tutti quality gate a%2D%2D%3E%0A%2Fclose -->',
    '### Quality gate `a--> /close`: passed',
  ]);
});
