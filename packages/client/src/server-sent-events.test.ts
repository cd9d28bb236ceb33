import { expect, test } from 'vitest';
import { createServerSentEventParser, MESSAGE_LENGTH_MAX } from './server-sent-events.ts';

const STREAM =
  ': alive\n\nid: 1\nevent: event\ndata: {"a":1}\n\nid:2\r\ndata:x\r\ndata:y\r\n\r\nevent: end\rdata: é\r\rx';

const MESSAGES = [
  { id: '1', event: 'event', data: '{"a":1}' },
  { id: '2', event: 'message', data: 'x\ny' },
  { id: null, event: 'end', data: 'é' },
];

test('messages are read with every form of line end', () => {
  expect(createServerSentEventParser().push(STREAM)).toEqual(MESSAGES);
});

test('pieces may be cut anywhere', () => {
  for (const size of [1, 2, 3, 7]) {
    const parser = createServerSentEventParser();
    const pieces = STREAM.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
    expect(pieces.flatMap((piece) => [...parser.push(piece)])).toEqual(MESSAGES);
  }
});

// Bound: A message of a stream, in the client.
test('a message without an end is refused before it fills the memory', () => {
  const parser = createServerSentEventParser();
  expect(() => parser.push(`data: ${'x'.repeat(MESSAGE_LENGTH_MAX)}`)).toThrow(RangeError);
});
