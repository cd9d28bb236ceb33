import { expect, test } from 'vitest';
import { createLogger } from '../runtime/logger.ts';
import { connectionBound, possibleConnections } from './connection-bound.ts';

test.each([
  [50_000, null, 50_000],
  [50_000, 524_288, 50_000],
  [50_000, 20_000, 17_856],
  [50_000, 1_024, 777],
  [100, 1_024, 100],
  [50_000, 100, 10],
])('for %i connections, with %s open files, there may be %i', (configured, openFiles, expected) => {
  expect(connectionBound(configured, openFiles)).toBe(expected);
});

function possible(configured: number, openFilesMax: number) {
  const lines: string[] = [];
  const logger = createLogger({
    level: 'info',
    destination: { write: (line) => lines.push(line) },
  });
  const connections = possibleConnections(configured, logger, openFilesMax);
  return { connections, actual: lines.map((line) => JSON.parse(line)) };
}

test('an impossible bound is lowered with a warning and advice', () => {
  const { connections, actual } = possible(50_000, 1_024);
  expect(connections).toBe(777);
  expect(actual).toMatchObject([
    {
      level: 'warn',
      openFilesMax: 1_024,
      connectionsMax: 777,
      configured: 50_000,
      msg: 'The server takes 777 connections at one time, not 50000 (limits.connections), as it may have 1024 files open. Raise that limit (ulimit -n, or LimitNOFILE of systemd), or lower limits.connections.',
    },
  ]);
});

test('a lowered bound that is enough for thousands of agents is no warning', () => {
  expect(possible(50_000, 20_000)).toMatchObject({
    connections: 17_856,
    actual: [{ level: 'info', connectionsMax: 17_856 }],
  });
});

test('a possible bound causes no message', () => {
  expect(possible(500, 1_024)).toEqual({ connections: 500, actual: [] });
});
