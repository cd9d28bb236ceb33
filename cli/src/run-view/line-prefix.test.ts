import { expect, test } from 'vitest';
import { UsageError } from '../terminal/problem.ts';
import { checkPrefix, prefixText } from './line-prefix.ts';

test('a prefix with an unknown placeholder is refused, with the known ones', () => {
  const refused = new UsageError(
    '--output-prefix has {date}, which stands for nothing; known are {timestamp}, {time}, {job}, {job_id}.',
    'write one of them, or leave it out.',
  );
  expect(() => checkPrefix('{time} {date} {level}', '--output-prefix')).toThrow(refused);
  expect(() => checkPrefix('{}', '--output-prefix')).toThrow('has {}, which');
  checkPrefix('{timestamp} {time} {job} {job_id} } {', '--output-prefix');
});

test('missing values of a line are blank, and names cannot move the cursor', () => {
  const look = { jobWidth: 3, clock: () => '12:00:00' };
  const line = { at: null, job: 'a\u001b[2J\nb', jobId: '' };
  expect(prefixText('{timestamp}|{time}|{job}|', line, look)).toBe(
    `${' '.repeat(19)}|${' '.repeat(8)}|a b|`,
  );
});
