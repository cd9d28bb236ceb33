import { expect, test } from 'vitest';
import { DEFAULT_USERS, environmentOf, type JobUser, parseUserRange } from './job-users.ts';

test.each([
  ['200000-200099', { first: 200000, last: 200099 }],
  ['1-1', { first: 1, last: 1 }],
  [`${DEFAULT_USERS.first}-${DEFAULT_USERS.last}`, DEFAULT_USERS],
])('%o is a range of users', (text, range) => {
  expect(parseUserRange(text)).toEqual(range);
});

test.each(['', '5', '0-10', '10-5', '-5', 'a-b', '1-4294967295', '1-2-3'])(
  '%o is no range of users',
  (text) => {
    expect(() => parseUserRange(text)).toThrow(/^Not a range of user ids: /);
  },
);

test('the environment of a job has its own home, and nothing of the session of the agent', () => {
  const user: JobUser = {
    uid: 7,
    gid: 7,
    home: '/w/j_home',
    endProcesses: () => Promise.resolve(true),
    release: () => Promise.resolve(),
  };
  const own = { PATH: '/bin', HOME: '/root', XDG_RUNTIME_DIR: '/run/user/0', SSH_AUTH_SOCK: '/s' };
  expect(environmentOf(user, own)).toEqual({
    PATH: '/bin',
    HOME: '/w/j_home',
    TMPDIR: '/w/j_home/tmp',
    USER: 'tutti-7',
    LOGNAME: 'tutti-7',
  });
});
