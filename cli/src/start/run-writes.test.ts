import { expect, test } from 'vitest';
import { RunWrites } from './run-writes.ts';

const isThere = (path: string): boolean => !path.endsWith('.tmp');

test('a new path, and all below it, is written by the run until somebody else changes it', () => {
  const writes = new RunWrites('/p');
  writes.exists('/p/src');
  for (const path of ['/p/out', '/p/out/a/b', '/p/x.tmp']) {
    expect(writes.changedInRun(path)).toBe('none');
  }
  expect(writes.endRun(isThere)).toEqual(['/p/out']);
  expect(writes.changedInRun('/p/out')).toBe('none');
  expect(writes.endRun(isThere)).toEqual([]);
  writes.changedByOthers('/p/out/a/b');
  expect(writes.changedInRun('/p/out/a/b')).toBe('cancel');
  expect(writes.changedInRun('/p/out/c')).toBe('none');
});

test('an existing path cancels two runs in a row, leads to one more, and is then written by them', () => {
  const writes = new RunWrites('/p');
  writes.exists('/p/total');
  const consequences = [1, 2, 3, 4, 5].map(() => {
    const consequence = writes.changedInRun('/p/total');
    return [consequence, writes.endRun(isThere).length];
  });
  expect(consequences).toEqual([
    ['cancel', 0],
    ['cancel', 0],
    ['run-again', 0],
    ['none', 1],
    ['none', 0],
  ]);
});

test('an existing path that some runs leave alone cancels each of the others', () => {
  const writes = new RunWrites('/p');
  writes.exists('/p/source');
  for (const _ of [1, 2, 3, 4]) {
    expect(writes.changedInRun('/p/source')).toBe('cancel');
    writes.endRun(isThere);
    writes.endRun(isThere);
  }
});

test.each([
  ['target/surefire-reports/a.xml', 'target'],
  ['shop/build/test-results', 'shop/build'],
  ['test-results', 'test-results'],
  ['app/bin/Debug/net8.0/a.dll', 'app/bin/Debug'],
])('%s is written by the run, though it exists', (path, folder) => {
  const writes = new RunWrites('/p');
  writes.exists(`/p/${path}`);
  expect(writes.changedInRun(`/p/${path}`)).toBe('none');
  expect(writes.endRun(isThere)).toEqual([`/p/${folder}`]);
});

test.each(['bin/start.js', 'src/targets/a', 'building/a'])('%s is no folder of tools', (path) => {
  const writes = new RunWrites('/p/build');
  writes.exists(`/p/build/${path}`);
  expect(writes.changedInRun(`/p/build/${path}`)).toBe('cancel');
});
