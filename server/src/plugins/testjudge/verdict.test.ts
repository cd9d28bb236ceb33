import type { AttachmentId, TestResult } from '@tutti/manifests';
import type { KnownHistory } from '@tutti/workflow/facts';
import { expect, test } from 'vitest';
import { selectorOf } from './units.ts';
import { type Attempt, addResult, type JudgedAttempts, judge } from './verdict.ts';

const HELD: KnownHistory = {
  ...{ state: 'flaky', flakeRate: 0.1, failures: 5, executions: 50 },
  ...{ hadFailed: true, quarantined: true },
};

/** `a+ b- c~ d!`: a passed, b failed, c was skipped, d failed in quarantine. */
function attemptOf(text: string): Attempt {
  const attempt: Attempt = new Map();
  for (const word of text.split(' ').filter((each) => each !== '')) {
    const status = ({ '+': 'SUCCESS', '-': 'FAILURE', '~': 'SKIPPED', '!': 'FAILURE' } as const)[
      word.slice(-1)
    ];
    const result: TestResult = {
      id: word,
      name: `t#${word.slice(0, -1)}`,
      suite: 't',
      status: status ?? 'ERROR',
      duration: 1,
      attachment_origin: 'report' as AttachmentId,
      ...{ 'tutti.file': 't.py' },
    };
    addResult(attempt, result, word.endsWith('!') ? HELD : null);
  }
  return attempt;
}

function judged(attempts: readonly string[], more: Partial<JudgedAttempts> = {}) {
  const { verdict, counts, selection, logs } = judge({
    attempts: attempts.map(attemptOf),
    isBroken: false,
    hasPassed: false,
    os: 'linux',
    tests: { retry: { times: 2 } },
    select: selectorOf('pytest'),
    ...more,
  });
  return [verdict, counts.failed, counts.flaked, selection.join(' '), logs.join(' ')];
}

const names = (count: number, end: string): string =>
  Array.from({ length: count }, (_, number) => `n${number}${end}`).join(' ');

test.each<[string, readonly string[], Partial<JudgedAttempts>, readonly unknown[]]>([
  ['all passed', ['a+ b~'], { hasPassed: true }, ['success', 0, 0, '', '']],
  [
    'one failed',
    ['a+ b-'],
    {},
    ['retry', 1, 0, 't.py::b', 'WARNING,1 of 2 tests failed. They run again: attempt 2 of 3.'],
  ],
  [
    'it passed then',
    ['a+ b-', 'b+'],
    { hasPassed: true },
    ['success', 0, 1, '', 'WARNING,1 test flaked (failed, then passed): t#b.'],
  ],
  [
    'it passed then, but that is refused',
    ['a+ b-', 'b+'],
    { hasPassed: true, tests: { retry: { times: 2 }, 'fail-on-flaked': true } },
    [
      'failure',
      0,
      1,
      '',
      'WARNING,1 test flaked (failed, then passed): t#b. ERROR,The step fails, since "fail-on-flaked" is set.',
    ],
  ],
  [
    'it failed in all attempts',
    ['a+ b-', 'b-', 'b-'],
    {},
    ['failure', 1, 0, '', 'ERROR,1 of 2 tests failed.'],
  ],
  [
    'a failure in quarantine does not count',
    ['a+ b!'],
    {},
    ['success', 0, 0, '', 'WARNING,1 test failed in quarantine: t#b.'],
  ],
  [
    'only other failures run again',
    ['a- b!', 'a+'],
    {},
    [
      'success',
      0,
      1,
      '',
      'WARNING,1 test failed in quarantine: t#b. WARNING,1 test flaked (failed, then passed): t#a.',
    ],
  ],
  [
    'a failure in quarantine counts where the step says so',
    ['a+ b!'],
    { tests: { quarantine: false } },
    ['failure', 1, 0, '', 'ERROR,1 of 2 tests failed.'],
  ],
  [
    'in a mass failure, all failures count',
    [`${names(20, '-')} q!`],
    {},
    [
      'failure',
      21,
      0,
      '',
      'ERROR,21 of 21 tests failed. So many new failures point to the environment: no retry.',
    ],
  ],
  ['no retry is wanted', ['a-'], { tests: {} }, ['failure', 1, 0, '', 'ERROR,1 of 1 test failed.']],
  [
    'a test that the retry skipped is still failed',
    ['a-', 'a~'],
    {},
    ['retry', 1, 0, 't.py::a', 'WARNING,1 of 1 test failed. They run again: attempt 3 of 3.'],
  ],
  [
    'the tool did not find it: the whole step runs',
    ['a+ b-', ''],
    {},
    [
      'retry',
      1,
      0,
      '',
      'WARNING,1 of 2 tests failed. The whole step runs again, since they cannot be selected: attempt 3 of 3.',
    ],
  ],
  [
    'the function cannot select',
    ['a+ b-'],
    { select: null },
    [
      'retry',
      1,
      0,
      '',
      'WARNING,1 of 2 tests failed. The whole step runs again, since they cannot be selected: attempt 2 of 3.',
    ],
  ],
  [
    'two tests of one name: the worse one counts',
    ['a- a+'],
    { tests: {} },
    ['failure', 1, 0, '', 'ERROR,1 of 1 test failed.'],
  ],
  [
    'exit code without a failed test',
    ['a+'],
    {},
    ['failure', 0, 0, '', 'ERROR,The step fails: no failed test explains its exit code.'],
  ],
  [
    'no results',
    [''],
    { hasPassed: true },
    ['failure', 0, 0, '', 'ERROR,The step fails: it has no report with test results.'],
  ],
  [
    'a broken report',
    ['a-'],
    { isBroken: true },
    ['failure', 1, 0, '', 'ERROR,The step fails: a report of its tests is broken or missing.'],
  ],
  [
    'too many',
    [names(3, '-')],
    { tests: { retry: { times: 1, 'at-most': 2 } } },
    ['failure', 3, 0, '', 'ERROR,3 of 3 tests failed. Too many for a retry.'],
  ],
  [
    'a mass failure',
    [names(20, '-')],
    {},
    [
      'failure',
      20,
      0,
      '',
      'ERROR,20 of 20 tests failed. So many new failures point to the environment: no retry.',
    ],
  ],
])('%s', (_, attempts, more, expected) => {
  expect(judged(attempts, more)).toEqual(expected);
});

test('a selection that is too long for a command is none', () => {
  const long = `${'x'.repeat(7000)}-`;
  expect(judged([long])[3]).toMatch(/^t\.py::x+$/);
  expect(judged([long], { os: 'windows' })[3]).toBe('');
});

test.each(['a\ufffd-', 'a…0123456789ab-', 's…0123456789ab#a-'])(
  'a name that its report altered selects nothing: %s',
  (name) => {
    expect(judged([name])[3]).toBe('');
  },
);

test('tests of one name in two files cannot be selected', () => {
  const attempt = attemptOf('a-');
  const elsewhere = { id: 'b', name: 't#a', suite: 't', status: 'SUCCESS', duration: 1 } as const;
  const result = { ...elsewhere, attachment_origin: 'report' as AttachmentId };
  addResult(attempt, { ...result, ...{ 'tutti.file': 'more/t.py' } }, null);
  expect([...attempt.values()]).toMatchObject([{ hasFailed: true, file: null }]);
});

test.each([
  ['tests/test_cart.py', 'tests.test_cart', 'test_a[b c]', 'tests/test_cart.py::test_a[b c]'],
  ['tests/test_cart.py', 'tests.test_cart.TestA.TestB', 'x', 'tests/test_cart.py::TestA::TestB::x'],
  ['tests\\test_cart.py', 'tests.test_cart', 'x', 'tests\\test_cart.py::x'],
  ['-t.py', '-t', 'x', './-t.py::x'],
  ['@t.py', '@t', 'x', './@t.py::x'],
  ['tests/other.py', 'tests.test_cart', 'x', null],
  ['tests/test_cart.py', 'tests.test_carts', 'x', null],
  ['README.rst', 'README.rst', 'README.rst', null],
  [null, 'tests.test_cart', 'x', null],
  ['tests/test_cart.py', null, 'x', null],
])('pytest: %s %s %s', (file, suite, name, unit) => {
  const asked = { wanted: [{ file, suite, name }], others: [], os: 'linux' } as const;
  expect(selectorOf('pytest')(asked)).toEqual(unit === null ? null : [unit]);
});
