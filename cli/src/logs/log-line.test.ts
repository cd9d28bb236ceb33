import { expect, test } from 'vitest';
import { createLineSplitter, readLogLine } from './log-line.ts';

const JOB = '5d312ae7-4d72-475f-accd-ae8f66497910';
const NO_JOB = '00000000-0000-0000-0000-000000000000';

test.each([
  [`[T] [job ${JOB}] hello`, { timestamp: 'T', jobId: JOB, text: 'hello' }],
  [`[T] [job ${JOB}]   [x] [job y] z`, { timestamp: 'T', jobId: JOB, text: '  [x] [job y] z' }],
  [`[T] [job ${JOB}] `, { timestamp: 'T', jobId: JOB, text: '' }],
  [`[T] [job ${NO_JOB}] ended`, { timestamp: 'T', jobId: null, text: 'ended' }],
  ['Workflow demo', { timestamp: null, jobId: null, text: 'Workflow demo' }],
])('%s', (line, expected) => {
  expect(readLogLine(line)).toEqual(expected);
});

test('lines are whole wherever their text is cut', () => {
  const splitter = createLineSplitter();
  expect(['a', 'b\nc\n\nd', 'e'].map((piece) => splitter.push(piece))).toEqual([[], ['ab', 'c', ''], []]);
  expect(splitter.rest()).toEqual(['de']);
}); // biome-ignore format: one line for all pieces
