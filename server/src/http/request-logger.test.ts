import { expect, test } from 'vitest';
import { createLogger, LOG_LEVELS } from '../runtime/logger.ts';
import { createRequestLogger } from './request-logger.ts';

/** The logger of one request, and its written lines. */
function openLogger() {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  const logger = createLogger({ level: 'trace', destination: { write } });
  return { lines, logger: createRequestLogger(logger, { requestId: 'r1' }) };
}

test.each(LOG_LEVELS.filter((level) => level !== 'silent'))(
  'a line of level %s has the id of its request',
  (level) => {
    const { lines, logger } = openLogger();
    logger[level]({ code: 500 }, 'request failed');
    expect(lines).toMatchObject([{ level, requestId: 'r1', code: 500, msg: 'request failed' }]);
  },
);

test('silent lines are not written, and the level is that of the log', () => {
  const { lines, logger } = openLogger();
  logger.silent('nothing');
  expect([lines, logger.level]).toEqual([[], 'trace']);
});

test('lines of child loggers have the id of the request, too', () => {
  const { lines, logger } = openLogger();
  logger.child({ part: 2 }).info('read');
  expect(lines).toMatchObject([{ requestId: 'r1', part: 2, msg: 'read' }]);
});
