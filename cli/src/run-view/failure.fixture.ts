/** Failures as the reports of real tools have them. */
import type { TestCaseDetails } from '@tutti/client';

export interface SampleFailure {
  readonly tool: string;
  readonly details: TestCaseDetails;
  readonly place: string | null;
  readonly lines: readonly string[];
}

export const SAMPLE_FAILURES: readonly SampleFailure[] = [
  {
    tool: 'pytest',
    details: {
      message: 'assert 3 == 4\n +  where 3 = total([1, 2])',
      text: `def test_total():
>       assert total([1, 2]) == 4
E       assert 3 == 4
E        +  where 3 = total([1, 2])

tests/test_cart.py:3: AssertionError`,
    },
    place: 'tests/test_cart.py:3',
    lines: ['assert 3 == 4', ' +  where 3 = total([1, 2])'],
  },
  {
    tool: 'pytest, in a function of the program, called through a library',
    details: {
      message: "TypeError: 'NoneType' object is not iterable",
      text: `tests/test_cart.py:7: 
_ _ _ _ _ _
cart.py:2: in total
/venv/lib/python3.12/site-packages/sums/sum.py:12: TypeError`,
    },
    place: 'cart.py:2',
    lines: ["TypeError: 'NoneType' object is not iterable"],
  },
  {
    tool: 'cargo nextest',
    details: {
      message: "thread 'tests::wrong' (10363) panicked at src/lib.rs:6:26",
      text: `thread 'tests::wrong' (10363) panicked at src/lib.rs:6:26:
assertion \`left == right\` failed: price is off
  left: 12
 right: 15
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace`,
    },
    place: 'src/lib.rs:6',
    lines: ['assertion `left == right` failed: price is off', '  left: 12', ' right: 15'],
  },
  {
    tool: 'unittest',
    details: {
      type: 'AssertionError',
      text: `Traceback (most recent call last):
  File "/project/tests/test_cart.py", line 9, in test_total
    self.assertEqual(1, 2)
AssertionError: 1 != 2`,
    },
    place: 'tests/test_cart.py:9',
    lines: ['    self.assertEqual(1, 2)', 'AssertionError: 1 != 2'],
  },
  {
    tool: 'Playwright',
    details: {
      message: 'pay.spec.ts:3:5 pays by card',
      type: 'FAILURE',
      text: `  [chromium] › pay.spec.ts:3:5 › pays by card ──────────────────

    Error: expect(locator).toHaveText(expected) failed

    Locator:  getByRole('status')
    Expected: "Paid"
    Received: "Declined"
    Timeout:  5000ms

    Call log:
      - Expect "toHaveText" with timeout 5000ms
      - waiting for getByRole('status')

      4 |   await page.goto('/');
    > 5 |   await expect(page.getByRole('status')).toHaveText('Paid');
        |                                          ^
        at /project/e2e/pay.spec.ts:5:42`,
    },
    place: 'e2e/pay.spec.ts:5',
    lines: [
      'Error: expect(locator).toHaveText(expected) failed',
      "Locator:  getByRole('status')",
      'Expected: "Paid"',
      'Received: "Declined"',
      'Timeout:  5000ms',
    ],
  },
  {
    tool: 'Vitest',
    details: {
      message: 'expected 3 to be 4 // Object.is equality',
      type: 'AssertionError',
      text: `AssertionError: expected 3 to be 4 // Object.is equality

- Expected
+ Received

- 4
+ 3

 ❯ tests/cart.test.ts:5:17`,
    },
    place: 'tests/cart.test.ts:5',
    lines: ['expected 3 to be 4 // Object.is equality', '- Expected', '+ Received', '- 4', '+ 3'],
  },
  {
    tool: 'Jest',
    details: {
      text: `Error: expect(received).toBe(expected) // Object.is equality

Expected: 4
Received: 3
    at Object.toBe (/project/node_modules/expect/build/index.js:2:9)
    at Object.<anonymous> (/project/src/cart.test.js:5:17)
    at Promise.then.completed (/project/node_modules/jest-circus/build/utils.js:298:28)`,
    },
    place: 'src/cart.test.js:5',
    lines: [
      'Error: expect(received).toBe(expected) // Object.is equality',
      'Expected: 4',
      'Received: 3',
    ],
  },
  {
    tool: 'Maven',
    details: {
      message: 'expected: <4> but was: <3>',
      type: 'org.opentest4j.AssertionFailedError',
      text: `org.opentest4j.AssertionFailedError: expected: <4> but was: <3>
	at org.junit.jupiter.api.AssertionFailureBuilder.build(AssertionFailureBuilder.java:151)
	at com.shop.CartTest.adds(CartTest.java:12)
	at java.base/java.lang.reflect.Method.invoke(Method.java:580)`,
    },
    place: 'CartTest.java:12',
    lines: ['expected: <4> but was: <3>'],
  },
  {
    tool: 'Go',
    details: { text: '    cart_test.go:12: total = 3\n        want 4' },
    place: 'cart_test.go:12',
    lines: ['cart_test.go:12: total = 3', '    want 4'],
  },
  {
    tool: '.NET',
    details: {
      message: 'Assert.Equal() Failure: Values differ\nExpected: 4\nActual:   3',
      text: '   at Xunit.Assert.Equal()\n   at Cart.Tests.Adds() in /project/Tests/CartTests.cs:line 12',
    },
    place: 'Tests/CartTests.cs:12',
    lines: ['Assert.Equal() Failure: Values differ', 'Expected: 4', 'Actual:   3'],
  },
  {
    tool: 'PHPUnit',
    details: {
      text: 'CartTest::testTotal\nFailed asserting that 3 is 4.\n\n/elsewhere/tests/CartTest.php:12',
    },
    place: '/elsewhere/tests/CartTest.php:12',
    lines: [
      'CartTest::testTotal',
      'Failed asserting that 3 is 4.',
      '/elsewhere/tests/CartTest.php:12',
    ],
  },
  {
    tool: 'RSpec',
    details: {
      message: 'expected: 4\n     got: 3',
      text: "# /usr/gems/rspec/x.rb:3:in `a'\n# ./spec/cart_spec.rb:12:in `block'",
    },
    place: './spec/cart_spec.rb:12',
    lines: ['expected: 4', '     got: 3'],
  },
  {
    tool: 'a file of a workspace',
    details: {
      text: '15 == 12\n    at TestContext.<anonymous> (file:///project/.tutti/workspaces/passing/afb30c52-b5a2-4683-b7ad-b575dcad85b5/src/price.test.mjs:2:9)',
    },
    place: 'src/price.test.mjs:2',
    lines: ['15 == 12'],
  },
  {
    tool: 'node:test, as TAP',
    details: {
      text: `duration_ms: 0.5
location: '/project/test/cart.test.js:3:1'
failureType: 'testCodeFailure'
error: '3 is not 4'`,
    },
    place: 'test/cart.test.js:3',
    lines: [
      'duration_ms: 0.5',
      "location: '/project/test/cart.test.js:3:1'",
      "failureType: 'testCodeFailure'",
      "error: '3 is not 4'",
    ],
  },
  {
    tool: 'Newman, whose collection has no file of the script',
    details: { message: 'expected 500 to equal 200', text: 'at sandbox-script.js:2:1' },
    place: null,
    lines: ['expected 500 to equal 200'],
  },
  {
    tool: 'a tool that names no place',
    details: { message: 'GET http://shop.example.com:8080 failed' },
    place: null,
    lines: ['GET http://shop.example.com:8080 failed'],
  },
];
