import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LINE_OVERHEAD_BYTES, RUN_OVERHEAD_BYTES } from '../limits.ts';
import { createOutputBuffer } from './output-buffer.ts';
import { type OutputPart, type OutputStream, postedLines, runOf } from './output-lines.ts';

/** Lines that were appended together. */
const size = (...lines: string[]) =>
  lines.reduce((sum, line) => sum + `${line}\n`.length + LINE_OVERHEAD_BYTES, RUN_OVERHEAD_BYTES);

/** Takes lines as they are in a document. */
const take = (buffer: ReturnType<typeof createOutputBuffer>, sizeMax: number) =>
  buffer.take(sizeMax).map(postedLines);

test('lines come out as they came in, neighbours of one stream together', () => {
  const buffer = createOutputBuffer();
  buffer.append('stdout', runOf(['a']));
  buffer.append('stdout', runOf(['b']));
  buffer.append('stderr', runOf(['c']));
  buffer.append('stdout', runOf([]));
  buffer.append('stdout', runOf(['d']));
  expect(take(buffer, 10_000)).toEqual([
    { stream: 'stdout', lines: 'a\nb' },
    { stream: 'stderr', lines: ['c'] },
    { stream: 'stdout', lines: ['d'] },
  ]);
  expect(buffer.size()).toBe(0);
});

test('a piece of a line ends its stretch, and is marked as its last line', () => {
  const buffer = createOutputBuffer();
  buffer.append('stdout', runOf(['a']));
  buffer.append('stdout', runOf(['b', 'piece'], 'open'));
  buffer.append('stdout', runOf(['end']));
  expect(take(buffer, size('a') + size('b'))).toEqual([{ stream: 'stdout', lines: 'a\nb' }]);
  expect(take(buffer, 1000)).toEqual([
    { stream: 'stdout', lines: ['piece'], open: true },
    { stream: 'stdout', lines: ['end'] },
  ]);
});

test('no more is taken than fits', () => {
  const buffer = createOutputBuffer();
  buffer.append('stdout', runOf(['a', 'b', 'c']));
  expect(take(buffer, size('a', 'b'))).toEqual([{ stream: 'stdout', lines: 'a\nb' }]);
  expect(buffer.size()).toBe(size('c'));
});

test('one line is taken even if it does not fit', () => {
  const buffer = createOutputBuffer();
  buffer.append('stdout', runOf(['long line', 'b']));
  expect(take(buffer, 1)).toEqual([{ stream: 'stdout', lines: ['long line'] }]);
});

test('nothing is taken from an empty buffer', () => {
  expect(createOutputBuffer().take(10)).toEqual([]);
});

test('no line is lost, doubled or moved, whatever is appended and taken', () => {
  const stream = fc.constantFrom<OutputStream>('stdout', 'stderr');
  const part = fc.tuple(stream, fc.array(fc.string({ maxLength: 30 }), { maxLength: 5 }));
  fc.assert(
    fc.property(fc.array(part), fc.integer({ min: 1, max: 900 }), (parts, sizeMax) => {
      const buffer = createOutputBuffer();
      for (const [name, lines] of parts) buffer.append(name, runOf(lines));
      const taken: OutputPart[] = [];
      while (buffer.size() > 0) taken.push(...buffer.take(sizeMax));
      const flat = taken.flatMap(({ stream, pieces }) =>
        Buffer.concat(pieces)
          .toString()
          .split('\n')
          .slice(0, -1)
          .map((line) => [stream, line]),
      );
      expect(flat).toEqual(parts.flatMap(([name, lines]) => lines.map((line) => [name, line])));
    }),
  );
});

test.each([
  ['several lines are one text', 'a\n\nb\n', 'a\n\nb'],
  ['empty lines too', '\n\n', '\n'],
  ['one line is a list', '\n', ['']],
  ['lines of Windows', 'a\r\nb\r\n', 'a\nb'],
  ['one line of Windows', 'a\r\n', ['a']],
  ['carriage returns within a line', '10 %\r20 %\nb\n', '10 %\r20 %\nb'],
])('%s', (_case, printed, lines) => {
  const pieces = [Buffer.from(printed.slice(0, 1)), Buffer.from(printed.slice(1))];
  expect(postedLines({ stream: 'stdout', pieces })).toEqual({ stream: 'stdout', lines });
});

test('a last line without its end stays so', () => {
  const pieces = [Buffer.from('a\nb\r')];
  const posted = { stream: 'stdout', lines: 'a\nb\r', open: true };
  expect(postedLines({ stream: 'stdout', pieces, open: true })).toEqual(posted);
});
