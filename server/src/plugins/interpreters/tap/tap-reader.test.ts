import { describe, expect, test } from 'vitest';
import { readText, shownCases } from '../testing/read-text.ts';
import { createTapReader } from './tap-reader.ts';

interface Sample {
  readonly what: string;
  readonly tap: string;
  readonly expected: readonly string[];
  readonly errors?: readonly string[];
}

const table: readonly Sample[] = [
  {
    what: 'version 12, with directives and without numbers',
    tap: '1..6\nok 1 - adds\nnot ok 2 removes\n# Failed test at cart.t line 3.\nok # SKIP no carrier\nnot ok - later # Todo not yet\nok 5 - done # todo was to do\nok 6 costs \\#1 # 2\n',
    expected: [
      'null#adds SUCCESS 0',
      'null#removes FAILURE 0 ',
      'null#test 3 SKIPPED 0 no carrier',
      'null#later SKIPPED 0 not yet',
      'null#done SUCCESS 0',
      'null#costs #1 # 2 SUCCESS 0',
    ],
  },
  {
    what: 'version 13, with diagnostics in YAML and the plan at the end',
    tap: `TAP version 13
# Subtest: cart
    # Subtest: adds
    ok 1 - adds
      ---
      duration_ms: 1.5
      ...
    # Subtest: removes
    not ok 2 - removes
      ---
      duration_ms: 0.25
      failureType: 'testCodeFailure'
      error: '1 == 2'
      stack: |-
        ok 3 - is no test
      ...
    1..2
not ok 1 - cart
  ---
  duration_ms: 3
  ...
# Subtest: ships
ok 2 - ships # time=5ms
1..2
# tests 2
`,
    expected: ['cart#adds SUCCESS 1.5', 'cart#removes FAILURE 0.25 1 == 2', 'null#ships SUCCESS 5'],
  },
  {
    what: 'version 14, with subtests announced inside, or not at all',
    tap: `TAP version 14
pragma +strict
1..3
    # Subtest: cart
    1..1
    ok 1 - adds
ok 1 - cart
    ok 1 - nameless
    1..1
not ok 2 - failed itself
ok 3 - last
`,
    expected: [
      'cart#adds SUCCESS 0',
      'null#nameless SUCCESS 0',
      'null#failed itself FAILURE 0 ',
      'null#last SUCCESS 0',
    ],
  },
  {
    what: 'subtests in braces',
    tap: `TAP version 13
ok 1 - cart # time=9ms {
    ok 1 - adds
    not ok 2 - inner {
        not ok 1 - breaks
        1..1
    }
    1..2
}
ok 2 - empty {
}
1..2
`,
    expected: ['cart#adds SUCCESS 0', 'cart > inner#breaks FAILURE 0 ', 'null#empty SUCCESS 0'],
  },
  {
    what: 'fewer tests than planned',
    tap: '1..4\nok 1\nok 3\n',
    expected: [
      'null#test 1 SUCCESS 0',
      'null#test 3 SUCCESS 0',
      'null#(plan) ERROR 0 Of 4 tests that were planned, 2 ran.',
    ],
    errors: ['Of 4 tests that were planned, 2 ran.'],
  },
  {
    what: 'a bail-out',
    tap: '1..4\nok 1\nBail out! no database\nok 2\n',
    expected: ['null#test 1 SUCCESS 0', 'null#(bail out) ERROR 0 Bail out: no database'],
    errors: ['Bail out: no database'],
  },
  {
    what: 'everything skipped',
    tap: '1..0 # SKIP not on this system\n',
    expected: ['null#(all tests) SKIPPED 0 not on this system'],
  },
  {
    what: 'no plan',
    tap: 'ok 1 - a\r\nsome output\r\nok 2 - b\r\n',
    expected: ['null#a SUCCESS 0', 'null#b SUCCESS 0'],
    errors: ['The report has no plan: it may have been cut off.'],
  },
];

describe('a report has', () => {
  test.each(table)('$what', async ({ tap, expected, errors = [] }) => {
    const reading = await readText(createTapReader, tap);
    expect(reading.error).toBeNull();
    expect(shownCases(reading)).toEqual(expected);
    expect(reading.generalErrors).toEqual(errors);
  });
});

test('test cases may be missing where there is no plan, and nowhere else', async () => {
  const doubtsOf = async (tap: string) => (await readText(createTapReader, tap)).doubts;
  expect(await doubtsOf('ok 1 - a\n')).toEqual([
    'The report has no plan: it may have been cut off.',
  ]);
  expect(await doubtsOf('1..2\nok 1 - a\n')).toEqual([]);
  expect(await doubtsOf('1..2\nok 1 - a\nBail out!\n')).toEqual([]);
});

test('comments after a failure are its text', async () => {
  const { cases } = await readText(createTapReader, '1..1\nnot ok 1 - a\n# at line 3\n#  got 1\n');
  expect(cases[0]?.failureDetails).toEqual({ text: 'at line 3\ngot 1' });
});

test('text without a test or a plan is no report', async () => {
  const { error } = await readText(createTapReader, 'no tests\nhere\n');
  expect(error).toBe('line 2: no line is a test or a plan');
});
