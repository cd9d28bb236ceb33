import { expect, test } from 'vitest';
import { widthOf } from '../terminal/style.ts';
import { createTestTerminal, type TestTerminal } from '../testing/terminal.ts';
import type { FrameLine } from './frame-line.ts';
import { type DrawnArea, NOTHING_DRAWN, redraw } from './live-area.ts';

const line = (text: string): FrameLine => ({ text, width: widthOf(text) });

/** Draws one frame after the other on a terminal. */
function createArea(terminal: TestTerminal, columns: number, rows: number) {
  let drawn: DrawnArea = NOTHING_DRAWN;
  let size = { columns, rows };
  return {
    resize: (newColumns: number, newRows: number) => {
      size = { columns: newColumns, rows: newRows };
      terminal.resize(newColumns, newRows);
    },
    async draw(scrolled: readonly string[], ...area: readonly string[]): Promise<string> {
      const lines = area.map(line);
      const text = redraw(drawn, scrolled, lines, size);
      drawn = { lines, ...size };
      await terminal.write(text);
      return text;
    },
  };
}

function setUp(columns: number, rows: number) {
  const terminal = createTestTerminal(columns, rows);
  return { terminal, area: createArea(terminal, columns, rows) };
}

test('lines scroll above the area, which stays at the end', async () => {
  const { terminal, area } = setUp(20, 5);
  await terminal.write('$ command\n');
  await area.draw(['one'], 'area 1', 'area 2');
  expect(terminal.screen()).toEqual(['$ command', 'one', 'area 1', 'area 2']);
  await area.draw(['two', 'three'], 'area 1', 'area 2');
  expect(terminal.screen()).toEqual(['two', 'three', 'area 1', 'area 2']);
  expect(terminal.lines()).toEqual(['$ command', 'one', 'two', 'three', 'area 1', 'area 2']);
});

test('an area that becomes smaller, larger and nothing leaves nothing behind', async () => {
  const { terminal, area } = setUp(20, 6);
  await area.draw(['log'], 'a long line', 'b', 'c');
  await area.draw([], 'short');
  expect(terminal.lines()).toEqual(['log', 'short']);
  await area.draw([], 'short', 'and', 'more', 'than', 'before');
  await area.draw(['more log']);
  expect(terminal.lines()).toEqual(['log', 'more log']);
});

test('unchanged lines are not written again', async () => {
  const { area } = setUp(20, 6);
  await area.draw([], 'first', 'second');
  expect(await area.draw([], 'first', 'second')).toBe('');
  const text = await area.draw([], 'first', 'other');
  expect(text).not.toContain('first');
  expect(text).toContain('other');
});

test('lines that take several rows scroll whole, also where they end at the edge', async () => {
  const { terminal, area } = setUp(10, 6);
  await area.draw([], 'area 1', 'area 2');
  const long = ['x'.repeat(10), 'y'.repeat(25), '日'.repeat(10), '\u001b[31mred\u001b[0m'];
  await area.draw(long, 'area 1', 'area 2');
  expect(terminal.lines()).toEqual([...long.slice(0, 3), 'red', 'area 1', 'area 2']);
});

test('a line of very many characters in few cells leaves nothing behind either', async () => {
  const { terminal, area } = setUp(10, 6);
  await area.draw([], 'area 1', 'area 2');
  const coloured = '\u001b[31m\u001b[39m'.repeat(50);
  await area.draw([`${coloured}red`], 'area 1');
  expect(terminal.lines()).toEqual(['red', 'area 1']);
});

test.each([
  ['narrower', 12, 10],
  ['wider', 70, 10],
  ['lower', 30, 6],
  ['narrower and lower', 14, 8],
])(
  'on a terminal that becomes %s the area is drawn anew in its place',
  async (_, columns, rows) => {
    const { terminal, area } = setUp(30, 10);
    await area.draw(['one', 'two'], 'a line that is 26 cells wide', 'b', 'c');
    area.resize(columns, rows);
    await area.draw([], 'a line …', 'b', 'c');
    expect(terminal.lines()).toEqual(['one', 'two', 'a line …', 'b', 'c']);
    await area.draw(['three'], 'a', 'b');
    expect(terminal.lines()).toEqual(['one', 'two', 'three', 'a', 'b']);
  },
);

test('a character that is wider than it seems costs the end of its line and no more', async () => {
  const { terminal, area } = setUp(10, 6);
  const wrong = { text: '日日日日日日', width: 6 };
  const size = { columns: 10, rows: 6 };
  const first = redraw(NOTHING_DRAWN, ['log'], [wrong, line('b')], size);
  await terminal.write(first);
  await terminal.write(redraw({ lines: [wrong, line('b')], ...size }, ['more'], [line('a')], size));
  expect(terminal.lines()).toEqual(['log', 'more', 'a']);
  expect(await area.draw([])).toBe('');
});

test('however much of a frame a terminal has got, it is never without the area', async () => {
  const { terminal, area } = setUp(30, 8);
  await area.draw(['log 1'], 'head 1', 'job 1', 'job 2');
  const before = { lines: ['head 1', 'job 1', 'job 2'].map(line), columns: 30, rows: 8 };
  const after = ['head 2', 'job 1', 'job 3'].map(line);
  const text = redraw(before, ['log 2'], after, { columns: 30, rows: 8 });
  // Terminals with frames show none of these states; for others, each character is a picture.
  for (const character of text) {
    await terminal.write(character);
    expect(terminal.screen().filter((row) => row !== '').length).toBeGreaterThanOrEqual(4);
  }
  expect(terminal.screen()).toEqual(['log 1', 'log 2', 'head 2', 'job 1', 'job 3']);
  expect(terminal.modes()).toEqual({ isWrapping: true, isDrawing: false });
});
