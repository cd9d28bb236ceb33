import type { AttachmentId } from '@tutti/manifests';
import { insightWorkerId, testResultsWorkerId } from '@tutti/workflow';
import { expect, test } from 'vitest';
import { incompleteness } from './completeness.ts';

const reader = (name: string) => testResultsWorkerId(name as AttachmentId, 'tap');
const RUNNING =
  'This was made while the workflow was running: test cases may be missing. Make it again when the workflow is over.';

test.each<
  readonly [phase: 'RUNNING' | 'DONE' | 'FAILED', workers: readonly string[], said: string | null]
>([
  ['DONE', [], null],
  ['FAILED', [insightWorkerId('r')], null],
  ['RUNNING', [], RUNNING],
  ['RUNNING', [reader('a')], RUNNING],
  [
    'DONE',
    [reader('a'), insightWorkerId('r'), 'other'],
    'This was made while a test report was still being read: test cases are missing. Make it again when all are read.',
  ],
  [
    'FAILED',
    [reader('a'), reader('b')],
    'This was made while 2 test reports were still being read: test cases are missing. Make it again when all are read.',
  ],
  [
    'DONE',
    ['other'],
    'This was made while 1 worker was still active on the workflow: test cases may be missing. Make it again later.',
  ],
  [
    'DONE',
    ['other', 'another'],
    'This was made while 2 workers were still active on the workflow: test cases may be missing. Make it again later.',
  ],
])('of a run that is %s with the workers %j', (phase, workers, said) => {
  expect(incompleteness({ phase, workers: new Set(workers) })).toBe(said);
});
