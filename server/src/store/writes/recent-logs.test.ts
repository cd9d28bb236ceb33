import { expect, test } from 'vitest';
import { append, workflowId } from '../conformance/samples.ts';
import { RecentLogs } from './recent-logs.ts';

const [RUN, OTHER] = [workflowId(1), workflowId(2)];

function setUp(bytesMax: number) {
  const recent = new RecentLogs(bytesMax);
  const lengths = new Map<string, number>();
  const add = (id: typeof RUN, logText: string) => {
    const logBytes = (lengths.get(id) ?? 0) + logText.length;
    lengths.set(id, logBytes);
    const operation = {
      kind: 'append',
      append: append(id, 1, { projection: { logText } }),
    } as const;
    recent.show(operation, { outcome: 'appended', seq: 1, logBytes, outboxFrom: null });
  };
  const read = (id: typeof RUN, start: number) => {
    const slice = recent.read(id, start, 1_000);
    return slice === null ? null : Buffer.from(slice.bytes).toString();
  };
  return { recent, add, read };
}

test('only what comes while somebody follows is kept, until the last one leaves', () => {
  const { recent, add, read } = setUp(100);
  add(RUN, 'a\n');
  expect(read(RUN, 0)).toBeNull();
  const leave = [recent.follow(RUN), recent.follow(RUN)];
  expect(read(RUN, 2)).toBeNull();
  add(RUN, 'b\n');
  expect([read(RUN, 0), read(RUN, 1), read(RUN, 2), read(RUN, 3)]).toEqual([
    null,
    null,
    'b\n',
    '\n',
  ]);
  leave[0]?.();
  add(RUN, 'c\n');
  expect(read(RUN, 3)).toBe('\nc\n');
  leave[1]?.();
  add(RUN, 'd\n');
  expect(read(RUN, 6)).toBeNull();
});

test('the length of a log, and whether more follows, is left to the database', () => {
  const { recent, add, read } = setUp(100);
  recent.follow(RUN);
  add(RUN, 'a\n');
  expect([read(RUN, 1), read(RUN, 2), read(RUN, 3)]).toEqual(['\n', null, null]);
  expect(recent.read(RUN, 0, 0)).toBeNull();
});

// Bound: Ends of followed logs in memory.
test('all followed logs together are bounded; the oldest text goes first, whose it is', () => {
  const { recent, add, read } = setUp(6);
  recent.follow(RUN);
  recent.follow(OTHER);
  add(RUN, 'a\n');
  add(OTHER, '1\n');
  add(RUN, 'b\n');
  expect([read(RUN, 0), read(OTHER, 0)]).toEqual(['a\nb\n', '1\n']);
  add(OTHER, '2\n');
  expect([read(RUN, 0), read(RUN, 2), read(OTHER, 0)]).toEqual([null, 'b\n', '1\n2\n']);
  add(RUN, 'much text\n');
  expect([read(RUN, 2), read(RUN, 4), read(OTHER, 0)]).toEqual([null, null, null]);
  add(RUN, 'c\n');
  expect(read(RUN, 14)).toBe('c\n');
});
