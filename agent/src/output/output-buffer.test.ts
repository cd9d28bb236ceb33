import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LINE_OVERHEAD_BYTES } from '../limits.ts';
import { createOutputBuffer, type OutputStream, postedLines } from './output-buffer.ts';

const cost = (...lines: string[]) =>
  lines.reduce((sum, line) => sum + line.length + LINE_OVERHEAD_BYTES, 0);

test('lines come out as they came in, neighbours of one stream together', () => {
  const buffer = createOutputBuffer();
  buffer.append('stdout', ['a']);
  buffer.append('stdout', ['b']);
  buffer.append('stderr', ['c']);
  buffer.append('stdout', []);
  buffer.append('stdout', ['d']);
  expect(buffer.take(1000)).toEqual([
    { stream: 'stdout', lines: ['a', 'b'] },
    { stream: 'stderr', lines: ['c'] },
    { stream: 'stdout', lines: ['d'] },
  ]);
  expect(buffer.bytes()).toBe(0);
});

test('a piece of a line ends its stretch, and is marked as its last line', () => {
  const buffer = createOutputBuffer();
  buffer.append('stdout', ['a']);
  buffer.append('stdout', ['b', 'piece'], 'open');
  buffer.append('stdout', ['end']);
  expect(buffer.take(cost('a', 'b'))).toEqual([{ stream: 'stdout', lines: ['a', 'b'] }]);
  expect(buffer.take(1000)).toEqual([
    { stream: 'stdout', lines: ['piece'], open: true },
    { stream: 'stdout', lines: ['end'] },
  ]);
});

test('no more is taken than fits', () => {
  const buffer = createOutputBuffer();
  buffer.append('stdout', ['a', 'b', 'c']);
  expect(buffer.take(cost('a', 'b'))).toEqual([{ stream: 'stdout', lines: ['a', 'b'] }]);
  expect(buffer.bytes()).toBe(cost('c'));
});

test('one line is taken even if it does not fit', () => {
  const buffer = createOutputBuffer();
  buffer.append('stdout', ['long line', 'b']);
  expect(buffer.take(1)).toEqual([{ stream: 'stdout', lines: ['long line'] }]);
});

test('nothing is taken from an empty buffer', () => {
  expect(createOutputBuffer().take(10)).toEqual([]);
});

test('no line is lost, doubled or moved, whatever is appended and taken', () => {
  const stream = fc.constantFrom<OutputStream>('stdout', 'stderr');
  const part = fc.tuple(stream, fc.array(fc.string({ maxLength: 30 }), { maxLength: 5 }));
  fc.assert(
    fc.property(fc.array(part), fc.integer({ min: 1, max: 200 }), (parts, bytesMax) => {
      const buffer = createOutputBuffer();
      for (const [name, lines] of parts) buffer.append(name, lines);
      const taken = [];
      while (buffer.bytes() > 0) taken.push(...buffer.take(bytesMax));
      const flat = taken.flatMap(({ stream, lines }) => lines.map((line) => [stream, line]));
      expect(flat).toEqual(parts.flatMap(([name, lines]) => lines.map((line) => [name, line])));
    }),
  );
});

test.each([
  ['several lines are one text', ['a', '', 'b'], 'a\n\nb'],
  ['empty lines too', ['', ''], '\n'],
  ['one line is a list', [''], ['']],
  ['lines with carriage returns are a list', ['10 %\r20 %\r', 'b'], ['10 %\r20 %\r', 'b']],
])('%s', (_case, lines, posted) => {
  expect(postedLines({ stream: 'stdout', lines, cut: true })).toEqual({
    stream: 'stdout',
    lines: posted,
    cut: true,
  });
});
