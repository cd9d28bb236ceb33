import { expect, test } from 'vitest';
import { createLogger } from './logger.ts';

function recorder() {
  const lines: string[] = [];
  return { lines, destination: { write: (line: string) => void lines.push(line) } };
}

test('a line is a JSON object with level, time and message', () => {
  const { lines, destination } = recorder();
  createLogger({ level: 'info', destination }).info({ port: 7774 }, 'ready');
  expect(JSON.parse(lines.join(''))).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/),
    port: 7774,
    msg: 'ready',
  });
});

test('tokens never reach the log', () => {
  const { lines, destination } = recorder();
  const logger = createLogger({ level: 'info', destination });
  logger.info({ headers: { authorization: 'Bearer s3cret' } });
  logger.info({ req: { headers: { authorization: 'Bearer s3cret' } } });
  logger.info({ agent: { token: 's3cret' } });
  expect(lines).toHaveLength(3);
  expect(lines.join('')).not.toContain('s3cret');
});

test('lines below the level are not written', () => {
  const { lines, destination } = recorder();
  createLogger({ level: 'warn', destination }).info('quiet');
  expect(lines).toEqual([]);
});

test.each(['err', 'error'])('errors are logged with message and place, as %s', (key) => {
  const { lines, destination } = recorder();
  const logger = createLogger({ level: 'info', destination });
  logger.error({ [key]: new TypeError('no such thing') }, 'failed');
  expect(JSON.parse(lines.join(''))).toMatchObject({
    [key]: { type: 'TypeError', message: 'no such thing', stack: expect.stringContaining('at ') },
  });
});
