import { evaluateCondition } from '@tutti/expressions';
import { expect, test } from 'vitest';
import { type Cancellation, emptyRun, type Run } from '../run/run.ts';
import { insightScope } from './insight-scope.ts';

const run: Run = { ...emptyRun, name: 'nightly', namespace: 'qa', labels: { team: 'web' } };
const canceled = (cause: Cancellation['cause']) => ({ reason: null, source: null, cause });

const holds = (condition: string, more: Partial<Run>): boolean =>
  evaluateCondition(condition, insightScope({ ...run, ...more }));

test.each([
  ['success()', { phase: 'DONE' }],
  ['success()', { phase: 'RUNNING' }],
  ['failure()', { phase: 'FAILED' }],
  ['failure()', { phase: 'FAILED', cancellation: canceled('timeout') }],
  ['failure()', { phase: 'RUNNING', cancellation: canceled('error') }],
  ['cancelled()', { phase: 'FAILED', cancellation: canceled('user') }],
  ['cancelled()', { phase: 'FAILED', cancellation: canceled('superseded') }],
] as const)('only %s and always() hold for a run with %j', (condition, more) => {
  const functions = ['success()', 'failure()', 'cancelled()', 'always()'];
  expect(functions.filter((each) => holds(each, more))).toEqual([condition, 'always()']);
});

test.each([
  ["workflow.name == 'nightly'", true],
  ["workflow.namespace == 'other'", false],
  ["workflow.status == 'DONE'", true],
  ["workflow.labels['team'] == 'web'", true],
  // Language 6.7: `workflow`, in insights alone.
])('%s is %s', (condition, expected) => {
  expect(holds(condition, { phase: 'DONE' })).toBe(expected);
});

test('a condition without a status function asks for success, too', () => {
  expect(holds("workflow.name == 'nightly'", { phase: 'FAILED' })).toBe(false);
});
