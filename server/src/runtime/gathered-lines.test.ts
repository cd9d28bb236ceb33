import { expect, test } from 'vitest';
import { GatheredLines } from './gathered-lines.ts';
import { createLogger } from './logger.ts';

function recorder() {
  const writes: string[] = [];
  const { promise: written, resolve } = Promise.withResolvers<void>();
  const write = (text: string) => {
    writes.push(text);
    resolve();
  };
  const lines = new GatheredLines({ write });
  return { writes, written, lines, logger: createLogger({ level: 'info', destination: lines }) };
}

const messagesIn = (text = ''): readonly string[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).msg);

test('lines are written together, a moment later, in their order', async () => {
  const { writes, written, logger } = recorder();
  logger.info('first');
  logger.child({ more: 1 }).info('second');
  expect(writes).toEqual([]);
  await written;
  expect(writes.map(messagesIn)).toEqual([['first', 'second']]);
});

test.each(['warn', 'error', 'fatal'] as const)('a line of level %s waits for nothing', (level) => {
  const { writes, logger } = recorder();
  logger.info('before');
  logger[level]('now');
  expect(writes.map(messagesIn)).toEqual([['before', 'now']]);
});

test('many lines are written before the moment is over', () => {
  const { writes, logger } = recorder();
  for (let line = 0; line < 1_000; line += 1) logger.info('x'.repeat(100));
  expect(writes.length).toBeGreaterThan(1);
});

test('remaining lines are written at the end, once', () => {
  const { writes, lines, logger } = recorder();
  logger.info('last');
  lines.flush();
  lines.flush();
  expect(writes.map(messagesIn)).toEqual([['last']]);
});
