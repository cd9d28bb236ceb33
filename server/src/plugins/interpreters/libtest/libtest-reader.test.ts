import { describe, expect, test } from 'vitest';
import { readText, shownCases } from '../testing/read-text.ts';
import { createLibtestReader } from './libtest-reader.ts';

interface Sample {
  readonly what: string;
  readonly text: string;
  readonly expected: readonly string[];
  readonly errors?: readonly string[];
}

const WHOLE = `   Compiling cart v1.0.0 (/srv/shop/cart)
warning: unused variable
    Finished \`test\` profile [unoptimized + debuginfo] target(s) in 6.05s
     Running unittests src/lib.rs (target/debug/deps/cart-59b524cc4e73c4a3)

running 5 tests
test tests::adds ... ok
test tests::subtracts ... FAILED
test tests::panics - should panic ... ok
test tests::takes ... FAILED
test tests::prices ... ignored, no prices yet

failures:

---- tests::subtracts stdout ----
test fake ... ok

thread 'tests::subtracts' (11137) panicked at cart/src/lib.rs:28:9:
assertion \`left == right\` failed: two less one is one
  left: 1
 right: 2
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace

---- tests::takes stdout ----

thread 'tests::takes' (11138) panicked at cart/src/lib.rs:40:21:
index out of bounds: the len is 0 but the index is 0


failures:
    tests::subtracts
    tests::takes

test result: FAILED. 2 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.34s

error: test failed, to rerun pass \`-p cart --lib\`
     Running tests/api.rs (target/debug/deps/api-8bcdd9472154357d)

running 1 test
test works ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s

     Running tests/api.rs (target/debug/deps/api-c210b2f667e15b5d)

running 2 tests
error: test failed, to rerun pass \`-p store --test api\`

Caused by:
  process didn't exit successfully: \`/srv/shop/target/debug/deps/api-c210b2f667e15b5d\` (signal: 6, SIGABRT: process abort signal)
   Doc-tests cart

running 1 test
test cart/src/lib.rs - add (line 5) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s


running 1 test
test cart/src/lib.rs - add (line 9) - compile fail ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.12s

all doctests ran in 0.97s; merged doctests compilation took 0.81s
error: 2 targets failed:
    \`-p cart --lib\`
    \`-p store --test api\`
`;

const HEAD = '     Running unittests src/lib.rs (target/debug/deps/cart-59b524cc4e73c4a3)\n\n';
const OK = 'test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished\n';
const BAD = OK.replace('ok. 1 passed; 0', 'FAILED. 0 passed; 1');

const table: readonly Sample[] = [
  {
    what: 'programs, documentation and a program that ended itself',
    text: WHOLE,
    expected: [
      'cart (src/lib.rs)#tests::adds SUCCESS 0',
      'cart (src/lib.rs)#tests::panics SUCCESS 0',
      'cart (src/lib.rs)#tests::prices SKIPPED 0 no prices yet',
      'cart (src/lib.rs)#tests::subtracts FAILURE 0 assertion `left == right` failed: two less one is one',
      'cart (src/lib.rs)#tests::takes ERROR 0 index out of bounds: the len is 0 but the index is 0',
      'api (tests/api.rs)#works SUCCESS 0',
      'api (tests/api.rs) (2)#api (tests/api.rs) (2) ERROR 0 Of 2 tests, 0 ended (signal: 6, SIGABRT: process abort signal).',
      'cart (doc-tests)#cart/src/lib.rs - add (line 5) SUCCESS 0',
      'cart (doc-tests)#cart/src/lib.rs - add (line 9) SUCCESS 0',
    ],
    errors: [
      'api (tests/api.rs) (2): Of 2 tests, 0 ended (signal: 6, SIGABRT: process abort signal).',
    ],
  },
  {
    what: 'the end cut off',
    text: WHOLE.slice(0, WHOLE.indexOf('index out of')),
    expected: [
      'cart (src/lib.rs)#tests::adds SUCCESS 0',
      'cart (src/lib.rs)#tests::panics SUCCESS 0',
      'cart (src/lib.rs)#tests::prices SKIPPED 0 no prices yet',
      'cart (src/lib.rs)#tests::subtracts FAILURE 0 assertion `left == right` failed: two less one is one',
      'cart (src/lib.rs)#tests::takes FAILURE 0 ',
      'cart (src/lib.rs)#cart (src/lib.rs) ERROR 0 Of 5 tests, 5 ended.',
    ],
    errors: ['cart (src/lib.rs): Of 5 tests, 5 ended.'],
  },
  {
    what: 'code that does not compile',
    text: `   Compiling cart v1.0.0 (/srv/cart)
warning: unused
error[E0425]: cannot find function \`ad\` in this scope
 --> cart/src/lib.rs:23:20
\u001b[1merror\u001b[0m: could not compile \`cart\` (lib test) due to 1 previous error
`,
    expected: [
      'cart (lib test)#cart (lib test) ERROR 0 error[E0425]: cannot find function `ad` in this scope',
    ],
    errors: ['cart (lib test): error[E0425]: cannot find function `ad` in this scope'],
  },
  {
    what: 'what cargo does not know',
    text: 'error: no test target named `x` in default-run packages\n\nhelp: a target\n',
    expected: ['cargo#cargo ERROR 0 error: no test target named `x` in default-run packages'],
    errors: ['cargo: error: no test target named `x` in default-run packages'],
  },
  {
    what: 'a program that takes no such option',
    text: `${HEAD.trimEnd()}\nerror: Unrecognized option: 'x'\nerror: test failed, to rerun pass \`--lib\`\n`,
    expected: ['cart (src/lib.rs)#cart (src/lib.rs) ERROR 0 The tests failed.'],
    errors: ['cart (src/lib.rs): The tests failed.'],
  },
  {
    what: 'no program that cargo names',
    text: `running 1 test\r\ntest a ... ok\r\n${OK}\nrunning 1 test\ntest a ... ok <1.5s>\n${OK}`,
    expected: ['null#a SUCCESS 0', 'test program 2#a SUCCESS 1500'],
  },
  {
    what: 'outputs that are not held back',
    text: `${HEAD}running 3 tests
test a ... hello
ok
test b ... 
thread 'b' (7) panicked at src/lib.rs:1:2:
attempt to divide by zero
FAILED
test c ... never

failures:

failures:
    b

${BAD}`,
    expected: [
      'cart (src/lib.rs)#a SUCCESS 0',
      'cart (src/lib.rs)#c ERROR 0 The test did not end.',
      'cart (src/lib.rs)#b ERROR 0 attempt to divide by zero',
    ],
    errors: [
      'cart (src/lib.rs): The report does not name 1 of 3 tests: it was made with --quiet, or is not whole.',
    ],
  },
  {
    what: 'names of those that failed alone',
    text: `${HEAD}running 2 tests\n. 1/2\na --- FAILED\n\nfailures:\n\n---- a stdout ----\nError: NoPrice\n\nfailures:\n    a\n\n${BAD}`,
    expected: ['cart (src/lib.rs)#a ERROR 0 Error: NoPrice'].map((line) =>
      line.replace('0 Error: ', '0 '),
    ),
    errors: [
      'cart (src/lib.rs): The report does not name 1 of 2 tests: it was made with --quiet, or is not whole.',
    ],
  },
  {
    what: 'outputs of those that passed',
    text: `${HEAD}running 1 test\ntest a ... ok\n\nsuccesses:\n\n---- a stdout ----\ntest x ... FAILED\n\nsuccesses:\n    a\n\n${OK}`,
    expected: ['cart (src/lib.rs)#a SUCCESS 0'],
  },
  {
    what: 'no tests',
    text: `${HEAD}running 0 tests\n\n${OK.replace('1 passed', '0 passed')}`,
    expected: [],
  },
];

describe('a report has', () => {
  test.each(table)('$what', async ({ text, expected, errors = [] }) => {
    const reading = await readText(createLibtestReader, text);
    expect(reading.error).toBeNull();
    expect(shownCases(reading)).toEqual(expected);
    expect(reading.generalErrors).toEqual(errors);
  });
});

const PANICKED = "thread 'a' panicked at src/lib.rs:3:9:";

test.each([
  [`${PANICKED}\nassertion failed: x`, 'FAILURE', 'assertion failed: x'],
  [`${PANICKED}\ncustom text`, 'FAILURE', 'custom text'],
  [`${PANICKED}\ncalled \`Option::unwrap()\` on a \`None\` value`, 'ERROR', 'called `Option::unwrap()` on a `None` value'],
  [`${PANICKED}\nnot yet implemented`, 'ERROR', 'not yet implemented'],
  ["thread 'a' panicked at 'two\nlines', src/lib.rs:3:9", 'FAILURE', 'two\nlines'],
  ['note: test did not panic as expected at src/lib.rs:51:8', 'FAILURE', 'test did not panic as expected at src/lib.rs:51:8'],
  [`${PANICKED}\nattempt to divide by zero\nnote: panic did not contain expected string`, 'FAILURE', 'panic did not contain expected string'],
  ['Error: ParseIntError', 'ERROR', 'ParseIntError'],
  ['error[E0308]: mismatched types\n --> src/lib.rs:5:1', 'ERROR', 'error[E0308]: mismatched types'],
  ['nothing known', 'FAILURE', undefined],
])('a test that printed %j is a %s', async (said, status, message) => {
  const text = `${HEAD}running 1 test\ntest a ... FAILED\n\nfailures:\n\n---- a stdout ----\n${said}\n\nfailures:\n    a\n\n${BAD}`;
  const [found] = (await readText(createLibtestReader, text)).cases;
  expect(found?.status).toBe(status);
  const details = found?.failureDetails ?? found?.errorDetails;
  expect(details?.message).toBe(message);
  expect(details?.text).toBe(said);
}); // biome-ignore format: one row for each text

test('test cases that --quiet does not name may be missing', async () => {
  const text = `${HEAD}running 2 tests\n..\n${OK}`;
  expect((await readText(createLibtestReader, text)).doubts).toEqual([
    'cart (src/lib.rs): The report does not name 2 of 2 tests: it was made with --quiet, or is not whole.',
  ]);
});

test('text that cargo does not print is no report', async () => {
  const { error } = await readText(createLibtestReader, 'no tests\nhere\n');
  expect(error).toBe('line 2: no line is of the tests of cargo');
});

test('of more failed tests than are kept the rest is told without a text', async () => {
  const lines = Array.from({ length: 10_001 }, (_, index) => `test t${index} ... FAILED\n`);
  const said = `failures:\n\n---- t0 stdout ----\nError: one\n\nfailures:\n    t0\n\n${BAD}`;
  const text = `${HEAD}running 10001 tests\n${lines.join('')}\n${said}`;
  const { cases, generalErrors } = await readText(createLibtestReader, text, 4096);
  expect(cases).toHaveLength(10_001);
  expect(cases[0]).toMatchObject({ name: 't10000', failureDetails: {} });
  expect(cases[1]).toMatchObject({ name: 't0', errorDetails: { message: 'one' } });
  expect(generalErrors).toEqual([]);
});
