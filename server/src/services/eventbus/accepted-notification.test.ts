import type { Timestamp } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { acceptedNotification } from './accepted-notification.ts';

const ID = 'aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NOW = '2026-01-31T12:34:56.123456' as Timestamp;
const metadata = { name: 'n', workflow_id: ID, attachment_origin: [ID] };

/** The test results of a notification, after reading. */
function resultsOf(
  ...testResults: readonly unknown[]
): readonly Readonly<Record<string, unknown>>[] {
  const actual = acceptedNotification(
    { kind: 'Notification', metadata, spec: { testResults } },
    NOW,
  );
  return (actual.spec as { testResults: readonly Readonly<Record<string, unknown>>[] }).testResults;
}

const result = { id: ID, name: 'a#b', status: 'FAILURE', duration: 1 };

test.each<[what: string, metadata: object, name: unknown]>([
  ['its own', { name: 'mine' }, 'mine'],
  ['an empty one', { name: '' }, ''],
  ['none', {}, 'notification'],
  ['null', { name: null }, 'notification'],
  ['one that is no text, which the schema refuses', { name: 7 }, 7],
  // HTTP 2.9: A Notification has the id of its job and lines of text.
])('2.9: the name of a notification with %s', (_, given, name) => {
  const spec = { logs: ['x'] };
  expect(acceptedNotification({ metadata: given, spec }, NOW)).toEqual({
    metadata: { name },
    spec,
  });
});

test.each([{}, { metadata }, { metadata, spec: [] }, { metadata: null, spec: {} }])(
  '%j is left as it is',
  (publication) => {
    expect(acceptedNotification(publication, NOW)).toBe(publication);
  },
);

test.each<[what: string, actual: object, expected: object]>([
  ['the duration it says', result, result],
  ['no duration', { ...result, duration: undefined }, { ...result, duration: 0 }],
  ['null as duration', { ...result, duration: null }, { ...result, duration: 0 }],
  [
    'a wrong duration, which the schema refuses',
    { ...result, duration: 'x' },
    { ...result, duration: 'x' },
  ],
  ['an id in capitals', { ...result, id: ID.toUpperCase() }, result],
  ['null as suite and errors', { ...result, suite: null, errorsList: null }, result],
  [
    'null in details',
    { ...result, failureDetails: { message: 'm', type: null, text: null }, errorDetails: null },
    { ...result, failureDetails: { message: 'm' } },
  ],
  [
    'more in details than they have',
    { ...result, errorDetails: { message: 'm', type: 't', text: 'x', stack: [1], secret: 'y' } },
    { ...result, errorDetails: { message: 'm', type: 't', text: 'x' } },
  ],
  [
    'details that are none, which the schema refuses',
    { ...result, warningDetails: 'text' },
    { ...result, warningDetails: 'text' },
  ],
  // HTTP 2.6: Details of failures, warnings and errors only where the status calls for them.
])('2.6: a test result with %s', (_, actual, expected) => {
  expect(resultsOf(actual)).toEqual([expected]);
});

test.each<[timestamp: unknown, shown: string]>([
  ['2026-01-31T12:00:00.5', '2026-01-31T12:00:00.500000'],
  ['2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000000'],
  ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000000'],
  ['now', NOW],
  ['', NOW],
  [null, NOW],
  [undefined, NOW],
  [1_769_860_000, NOW],
  // HTTP 2.6: General errors are a list with message and time, of the first executed test case alone.
])('2, 2.6: the time %j of a general error is shown as %s', (timestamp, shown) => {
  const errorsList = [{ message: 'm', timestamp, more: 1 }];
  const expected = [{ message: 'm', timestamp: shown }];
  expect(resultsOf({ ...result, errorsList }, { errorsList })).toMatchObject([
    { errorsList: expected },
    { errorsList: expected },
  ]);
});

// HTTP 2.6: A test case has its names, ids, namespace, time and number of executions.
test('2.6: the id of a test result is a UUID, another one for each, and the same one for the same id', () => {
  const ids = (...actual: readonly object[]) => resultsOf(...actual).map(({ id }) => id);
  const { id: _, ...nameless } = result;
  const odd = { ...result, id: 'odd' };
  const found = ids(
    nameless,
    nameless,
    odd,
    odd,
    { ...odd, attachment_origin: ID },
    { ...odd, id: 5 },
  );
  for (const id of found) expect(id).toMatch(UUID);
  expect(new Set(found).size).toBe(5);
  expect(found[2]).toBe(found[3]);
  expect(ids(odd)).toEqual([found[2]]);
});

test('other values are left for the schema to refuse', () => {
  expect(resultsOf(null, 7, ['x'])).toEqual([null, 7, ['x']]);
});
