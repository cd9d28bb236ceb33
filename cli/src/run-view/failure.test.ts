import { FAILURE_LINES_MAX, failureMessage } from '@tutti/run-view/failure';
import { expect, test } from 'vitest';
import { failureLines, placeOf } from './failed-tests.ts';
import { SAMPLE_FAILURES } from './failure.fixture.ts';

test.each(SAMPLE_FAILURES)('the place and the message of $tool', ({ details, place, lines }) => {
  expect(placeOf(details, '/project')).toEqual(place === null ? [] : [place]);
  expect(failureMessage(details)).toEqual(lines);
});

test('a long message ends with an ellipsis, and keeps what was compared', () => {
  const code = Array.from({ length: 9 }, (_, index) => `step ${index}`);
  const text = [...code, 'Expected: 4', 'Received: 3'].join('\n');
  expect(failureMessage({ text })).toEqual([
    ...code.slice(0, FAILURE_LINES_MAX - 2),
    'Expected: 4',
    'Received: 3',
    '…',
  ]);
});

test('nothing in a message moves the cursor, and no line fills the screen', () => {
  const [line = ''] = failureLines({ message: `\u001b[2J${'x'.repeat(4_000)}` });
  expect(line).toMatch(/^ {6}x{239}…$/);
});

test('a type alone is a message', () => {
  expect(failureMessage({ type: 'Timeout' })).toEqual(['Timeout']);
});

test.each(['a', '/', '.', 'a.ts ', '(', '❯ ', ':', 'a.ts:', '- '])(
  'a text full of %j is read in linear time',
  (piece) => {
    const text = piece.repeat(16_384);
    expect(placeOf({ text }, '/project')).toEqual([]);
    expect(failureMessage({ text }).length).toBeLessThanOrEqual(2);
  },
);
