import { expect, test } from 'vitest';
import { silentLogger } from '../agent-logger.ts';
import { createReachability } from './reachability.ts';

test('the log has one line for each change, however many attempts there are', () => {
  const lines: string[] = [];
  const log = (message: string) => lines.push(message);
  const logger = { ...silentLogger, info: log, warn: log };
  const server = createReachability(new URL('http://host:1/prefix'), logger);
  for (const isThere of [true, true, false, false, true, true, false]) {
    if (isThere) server.reached();
    else server.missed(new Error('ECONNREFUSED'));
  }
  expect(lines).toEqual([
    'The server http://host:1 cannot be reached; trying again.',
    'The server http://host:1 can be reached again.',
    'The server http://host:1 cannot be reached; trying again.',
  ]);
});
