import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LIMITS } from './limits.ts';
import { LogLines, lotsOf, piecesOf } from './log-lines.ts';

/** A line whose size, with its end, is this part of what a result repeats. */
const part = (share: number): string => 'x'.repeat(LIMITS.resultLogBytes * share - 1);

describe('what a result repeats', () => {
  test('lines that were streamed come first, then the others', async () => {
    const logs = new LogLines();
    logs.add(['a', 'b']);
    logs.addLast('ours');
    const result = await logs.addWith(['c'], async () => logs.result(), [[0, 1]]);
    expect(result).toEqual({ lines: ['a', 'b', 'c', 'ours'], streamed: 2, stderr: [[0, 1]] });
  });

  test('nothing was said', () => {
    expect(new LogLines().result()).toEqual({ lines: [], streamed: 0, stderr: [] });
  });

  test('lines whose result was not published are not there', async () => {
    const logs = new LogLines();
    logs.add(['a']);
    const failure = logs.addWith(['b'], () => Promise.reject(new Error('not stored')));
    await expect(failure).rejects.toThrow('not stored');
    expect(logs.result()).toEqual({ lines: ['a'], streamed: 1, stderr: [] });
  });

  test('what is too much is only counted, and no later line takes its place', () => {
    const logs = new LogLines();
    logs.add([part(0.5), part(0.75), 'short']);
    expect(logs.streamedCount).toBe(3);
    expect(logs.result()).toEqual({
      lines: [part(0.5), 'WARNING,2 more lines are in the execution log of the workflow.'],
      streamed: 2,
      stderr: [],
    });
  });

  test('of a single line that is too much the same is said', () => {
    const logs = new LogLines();
    logs.add([part(2)]);
    expect(logs.result().lines).toEqual([
      'WARNING,1 more line is in the execution log of the workflow.',
    ]);
  });

  test('our own lines are there and shown, however much was streamed', () => {
    const logs = new LogLines();
    logs.add([part(2)]);
    logs.addLast('ERROR,ours');
    const { lines, streamed } = logs.result();
    expect(lines.slice(streamed)).toEqual(['ERROR,ours']);
  });

  test('our own lines are cut when they are far too many', () => {
    const logs = new LogLines();
    const line = 'y'.repeat(1000);
    for (let count = 0; count < 1000; count += 1) logs.addLast(line);
    const bytes = logs.result().lines.reduce((sum, each) => sum + each.length + 1, 0);
    expect(bytes).toBeLessThan(LIMITS.lastLinesBytes + 1000);
    expect(logs.result().lines.at(-1)).toMatch(/\.\.\.$/);
  });
});

test.each([
  ['all that it may have', [], [part(1)], true],
  ['one byte more', [], [`${part(1)}x`], false],
  ['the rest of what it may have', [part(0.5)], [part(0.5)], true],
  ['more than is left', [part(0.5)], [part(0.75)], false],
  ['nothing, after too much', [part(2)], [], false],
])('a result has room for %s', (_what, streamed, lines, expected) => {
  const logs = new LogLines();
  logs.add(streamed);
  expect(logs.fits(lines)).toBe(expected);
});

describe('pieces', () => {
  const long = 'z'.repeat(LIMITS.notificationLogBytes);

  test.each([
    ['nothing', [], []],
    ['an empty line', [''], [['']]],
    ['few lines', ['a', 'b'], [['a', 'b']]],
    ['a long line among short ones', ['a', long, 'b'], [['a'], [long], ['b']]],
    ['a line longer than a piece', [`${long}z`], [[`${long}z`]]],
  ])('%s', (_what, lines, expected) => {
    expect([...piecesOf(lines)]).toEqual(expected);
  });

  test('nothing is lost, doubled or moved, and no piece of several lines is too large', () => {
    const line = fc.integer({ min: 0, max: LIMITS.notificationLogBytes }).map((n) => 'l'.repeat(n));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const pieces = [...piecesOf(lines)];
        expect(pieces.flat()).toEqual(lines);
        for (const piece of pieces) {
          expect(piece.join('\n').length).toBeLessThanOrEqual(LIMITS.notificationLogBytes);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('lots for one commit each', () => {
  test('pieces come in order, as many as fit', () => {
    const half = ['x'.repeat(LIMITS.commitLogBytes / 2 - 1)];
    const small = ['a'];
    expect([...lotsOf([half, small, half, half, half, small])]).toEqual([
      [half, small],
      [half, half],
      [half, small],
    ]);
  });

  test('without pieces there is none', () => {
    expect([...lotsOf([])]).toEqual([]);
  });
});
