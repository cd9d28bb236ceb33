import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createRandom } from '../../../tests/support/random.ts';
import { CauseFinder, isNewCause } from './causes.ts';
import { shinglesOf } from './min-hash.ts';
import type { Failure } from './normal-failure.ts';
import { bCubed } from './testing/b-cubed.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const failure = (message: string, frame = 'open', type = 'Error'): Failure => ({
  type,
  message,
  stack: frame === '' ? '' : `Error: x\n    at ${frame} (/shop/${frame}.ts:1:1)`,
});

function causesOf(failures: readonly Failure[]) {
  const finder = new CauseFinder(sha256);
  for (const failure of failures) finder.add(failure);
  return finder.causes;
}

const groupsOf = (...failures: Failure[]) => causesOf(failures).map((cause) => cause.failures);

test('failures that differ in numbers and ids have one cause', () => {
  const [cause, ...others] = causesOf([failure('no order 17'), failure('no order 42')]);
  expect(others).toEqual([]);
  expect(cause).toMatchObject({ title: 'no order <number>', failures: [0, 1] });
  expect(cause?.fingerprints).toHaveLength(1);
});

const LONG =
  'The server answered the request for the list of orders with an error that it does not explain:';

test('messages with most words in common have one cause, if their type and first own frame agree', () => {
  expect(groupsOf(failure(`${LONG} teapot`), failure(`${LONG} kettle`))).toEqual([[0, 1]]);
  expect(groupsOf(failure(`${LONG} teapot`), failure(`${LONG} kettle`, 'close'))).toHaveLength(2);
  expect(groupsOf(failure(`${LONG} teapot`), failure(`${LONG} kettle`, ''))).toHaveLength(1);
  expect(groupsOf(failure(LONG), failure(`${LONG} kettle`, 'open', 'TypeError'))).toHaveLength(2);
});

test('messages with few words in common have different causes', () => {
  expect(groupsOf(failure('no such user'), failure('no such order'))).toHaveLength(2);
});

test('a failure without a message has its type as title', () => {
  expect(causesOf([failure('', '', 'Timeout')])[0]?.title).toBe('Timeout');
});

test('beyond a thousand causes, failures that are like no other are counted', () => {
  const finder = new CauseFinder(sha256);
  const wordOf = (at: number) =>
    [...String(at)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
  for (let at = 0; at < 1_002; at++) finder.add(failure(`no ${wordOf(at)}`));
  finder.add(failure('no a'));
  expect([finder.causes.length, finder.ungrouped]).toEqual([1_000, 2]);
  expect(finder.causes[0]?.failures).toEqual([0, 1_002]);
});

test('a short text is one shingle', () => {
  expect(shinglesOf('a b')).toEqual(new Set(['a b']));
  expect(shinglesOf('a b c d')).toEqual(new Set(['a b c', 'b c d']));
});

test('a cause is new if nobody saw it in 30 days', () => {
  const day = 86_400_000;
  expect(isNewCause(null, 40 * day)).toBe(true);
  expect(isNewCause(9 * day, 40 * day)).toBe(true);
  expect(isNewCause(10 * day, 40 * day)).toBe(false);
});

/** Messages of tools, with places for what differs. */
const FAULTS: readonly (readonly [type: string, message: string, frame: string])[] = [
  ['AssertionError', 'expected N to be N', 'checkTotal'],
  ['AssertionError', 'expected "order N" to equal "order N"', 'checkName'],
  ['AssertionError', 'expected N to be N', 'checkTax'],
  ['Error', 'connect ECONNREFUSED 127.0.0.1:N', ''],
  ['TimeoutError', 'locator.click: Timeout Nms exceeded. waiting for getByRole("button") W', 'pay'],
  ['TimeoutError', 'page.goto: Timeout Nms exceeded. navigating to "http://localhost:N/W"', 'open'],
  ['org.opentest4j.AssertionFailedError', 'expected: <N> but was: <N>', 'shop.CartTest.adds'],
  [
    'java.lang.NullPointerException',
    'Cannot invoke "Order.getId()" because "order" is null',
    'ship',
  ],
  ['Error', 'ENOENT: no such file or directory, open /tmp/run-N/W.json', 'load'],
  ['psycopg.OperationalError', 'deadlock detected: process N waits for transaction N of W', 'save'],
  ['TypeError', "Cannot read properties of undefined (reading 'price')", 'total'],
  ['HTTPError', '503 Server Error: Service Unavailable for url https://api.example.com/v1/W/N', ''],
];

test('1 000 failures of 12 causes are about 12 groups', () => {
  const random = createRandom(3);
  const truth: number[] = [];
  const failures = Array.from({ length: 1_000 }, () => {
    const at = random.between(0, FAULTS.length - 1);
    truth.push(at);
    const [type, message, frame] = FAULTS[at] ?? ['', '', ''];
    const text = message
      .replace(/\bN/g, () => String(random.between(1, 99_999)))
      .replace(/\bW\b/g, () => random.pick(['alpha', 'beta', 'gamma']));
    return failure(text, frame, type);
  });
  const causes = causesOf(failures);
  const { precision, recall } = bCubed(
    truth,
    causes.map((cause) => cause.failures),
  );
  expect(causes.flatMap((cause) => cause.failures)).toHaveLength(1_000);
  // A short message that differs in a word, and not in a number, has another cause.
  expect(causes.length).toBeLessThanOrEqual(15);
  expect(precision).toBeGreaterThanOrEqual(0.95);
  expect(recall).toBeGreaterThanOrEqual(0.85);
});
