import type {
  AttachmentId,
  JobId,
  StepId,
  TestResult,
  Timestamp,
  WorkflowId,
} from '@tutti/manifests';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KnownHistory } from '../facts/test-histories.ts';
import {
  earlierRunExecution,
  outcomeOf,
  presentTestCase,
  type RunOfItem,
  type TestOrigin,
  testCaseKey,
  testCaseManifest,
} from './test-cases.ts';

const at = (seconds: string): Timestamp => `2026-01-31T12:00:${seconds}.000000` as Timestamp;

const workflow: RunOfItem = { id: 'w' as WorkflowId, name: 'nightly', namespace: 'shop' };
const origin: TestOrigin = {
  jobId: 'j' as JobId,
  jobName: 'unit',
  jobKey: 'unit',
  runsOn: ['linux', 'node'],
  stepId: 's' as StepId,
  uses: 'node-test/execute@v1',
  test: 'test/cart.test.js',
  technology: 'node-test',
  managed: null,
  creationTimestamp: at('01'),
  startTime: at('02'),
  endTime: at('03'),
};
const result: TestResult = {
  id: 'r',
  name: 'cart#adds',
  suite: 'cart',
  status: 'FAILURE',
  duration: 1.5,
  attachment_origin: 'a' as AttachmentId,
  failureDetails: { message: '1 != 2' },
};

const manifestOf = (
  changed: Partial<TestResult>,
  from: Partial<TestOrigin> = {},
  history: KnownHistory | null = null,
) =>
  testCaseManifest({
    apiGroup: 'opentestfactory.org',
    workflow,
    origin: { ...origin, ...from },
    result: { ...result, ...changed },
    history,
  });

describe('the manifest of a test case', () => {
  // HTTP 2.6: A test case has its names, ids, namespace, time and number of executions.
  // HTTP 2.6: `test` tells environment, function, technology, job, reference and outcome.
  test('says what ran, where, when and how it ended', () => {
    expect(manifestOf({})).toEqual({
      apiVersion: 'testing.opentestfactory.org/v1alpha1',
      kind: 'TestCase',
      metadata: {
        name: 'cart#adds',
        id: 'r',
        job_id: 'j',
        execution_id: 'a',
        workflow_id: 'w',
        namespace: 'shop',
        creationTimestamp: at('01'),
      },
      test: {
        'runs-on': ['linux', 'node'],
        uses: 'node-test/execute@v1',
        technology: 'node-test',
        job: 'unit',
        test: 'test/cart.test.js',
        suiteName: 'cart',
        testCaseName: 'adds',
        outcome: 'failure',
        managed: false,
      },
      status: 'FAILURE',
      execution: {
        startTime: at('02'),
        endTime: at('03'),
        duration: 1.5,
        outcome: 'failure',
        failureDetails: { message: '1 != 2' },
      },
    });
  });

  test('has no duration that no test can have, whoever told it', () => {
    expect(manifestOf({ duration: 1e300 }).execution.duration).toBe(0);
  });

  // HTTP 2.6: `test` tells environment, function, technology, job, reference and outcome.
  test('has an empty function and an empty test reference when a script made the report', () => {
    const { test: shown } = manifestOf({}, { uses: null, test: null });
    expect(shown).toMatchObject({ uses: '', test: '' });
  });

  // HTTP 2.6: Details of failures, warnings and errors only where the status calls for them.
  test('has details only when the test case failed', () => {
    const details = { failureDetails: { message: 'old' }, warningDetails: { message: 'w' } };
    expect(manifestOf({ ...details, status: 'SUCCESS' }).execution).not.toHaveProperty(
      'failureDetails',
    );
    expect(manifestOf({ ...details, status: 'ERROR' }).execution).toMatchObject(details);
  });

  test('has short texts, whatever a plugin said', () => {
    const long = 'x'.repeat(100_000);
    const {
      metadata,
      test: names,
      execution,
    } = manifestOf(
      {
        id: long,
        name: long,
        suite: long,
        failureDetails: { message: long, type: long, text: long },
      },
      {
        jobName: long,
        uses: long,
        test: long,
        technology: long,
        runsOn: Array.from({ length: 1_000 }, () => long),
      },
    );
    const cut = (length: number) => `${'x'.repeat(length - 1)}…`;
    expect(metadata).toMatchObject({ id: cut(1024), name: cut(1024) });
    expect(names).toMatchObject({
      'runs-on': Array.from({ length: 256 }, () => '…'),
      uses: '…',
      technology: '…',
      job: cut(1024),
      test: '…',
      suiteName: cut(1024),
      testCaseName: cut(1024),
    });
    expect(execution.failureDetails).toEqual({
      message: cut(4096),
      type: cut(1024),
      text: cut(16 * 1024),
    });
  });

  // HTTP 2.6: Earlier executions, also of earlier runs, are the history of the newest.
  test('shows the number of executions, and the earlier ones oldest first', () => {
    const first = manifestOf({ id: '1', status: 'FAILURE' });
    const second = manifestOf({ id: '2', status: 'SUCCESS' });
    const newest = manifestOf({ id: '3', status: 'SUCCESS' });
    const shown = presentTestCase(newest, 3, [first, second]);
    expect(shown.metadata.executions).toBe(3);
    expect(shown.metadata.id).toBe('3');
    expect(shown.executionHistory).toEqual([
      { id: '1', execution_id: 'a', status: 'FAILURE', ...first.execution },
      { id: '2', execution_id: 'a', status: 'SUCCESS', ...second.execution },
    ]);
  });

  test('shows executions of earlier runs in front of those of its own', () => {
    const first = manifestOf({ id: '1' });
    const earlier = earlierRunExecution({
      workflowId: 'v' as WorkflowId,
      outcome: 'error',
      durationMs: 2,
      startedAt: at('00'),
      endedAt: at('01'),
    });
    const shown = presentTestCase(manifestOf({ id: '2' }), 2, [first], [earlier]);
    expect(shown.metadata.executions).toBe(3);
    expect(shown.executionHistory).toEqual([
      {
        workflow_id: 'v',
        status: 'ERROR',
        outcome: 'error',
        startTime: at('00'),
        endTime: at('01'),
        duration: 2,
      },
      { id: '1', execution_id: 'a', status: 'FAILURE', ...first.execution },
    ]);
  });

  test.each([
    ['FAILURE', false, true],
    ['ERROR', true, false],
    ['SUCCESS', false, false],
  ] as const)('has the history of its test: %s, failed before %s', (status, hadFailed, newly) => {
    const history = { state: 'flaky', flakeRate: 0.1, failures: 1, executions: 9 } as const;
    const known = { ...history, hadFailed, quarantined: true };
    const { test: found } = manifestOf({ status }, {}, known);
    expect(found).toMatchObject({ history, newlyFailed: newly, quarantined: true });
    const { test: other } = manifestOf({ status }, {}, { ...known, quarantined: false });
    expect(other.quarantined).toBeUndefined();
  });

  test('of a case that ran once has no history', () => {
    expect(presentTestCase(manifestOf({}), 1, [])).not.toHaveProperty('executionHistory');
  });
});

test('a test case that a referential manages has its labels, beside what the run says of it', () => {
  const managed = { reference: 'REF-1', path: ['a'], test: { n: 1 }, outcome: 'nothing' };
  expect(manifestOf({}, { managed }).test).toEqual({
    ...manifestOf({}).test,
    reference: 'REF-1',
    path: ['a'],
    managed: true,
  });
  expect(manifestOf({}, { managed, test: null }).test).toHaveProperty('test', '');
});

test.each<{ name: string; suite?: string; suiteName: string; testCaseName: string }>([
  { name: 'a#b', suiteName: 'a', testCaseName: 'b' },
  { name: 'a#b#c', suiteName: 'a', testCaseName: 'b#c' },
  { name: 'a#b#c', suite: 'a#b', suiteName: 'a#b', testCaseName: 'c' },
  { name: 'b', suiteName: 'b', testCaseName: 'b' },
  { name: 'b', suite: 'a', suiteName: 'a', testCaseName: 'b' },
  { name: 'a#', suiteName: 'a', testCaseName: 'a' },
  { name: '#b', suiteName: 'b', testCaseName: 'b' },
])(
  // HTTP 2.6: The name is suite and case with `#` between.
  '$name of suite $suite is $testCaseName in $suiteName',
  ({ suiteName, testCaseName, ...given }) => {
    expect(manifestOf({ suite: undefined, ...given } as Partial<TestResult>).test).toMatchObject({
      suiteName,
      testCaseName,
    });
  },
);

describe('the key of a test case', () => {
  test('is the same for a later execution, also by a job of that name in another run', () => {
    const later = { ...origin, endTime: at('59'), jobId: 'k' as JobId };
    expect(testCaseKey(later, { name: 'cart#adds', suite: 'cart' })).toEqual(
      testCaseKey(origin, { name: 'cart#adds' }),
    );
  });

  test.each<[text: string, isSame: boolean, left: Partial<TestOrigin>, right: Partial<TestOrigin>]>(
    [
      ['two test references', false, { test: 'bad.robot' }, { test: 'good.robot' }],
      ['a reference and none', false, { test: 'bad.robot' }, { test: null }],
      ['two functions of a technology', false, { uses: 'a/execute@v1' }, { uses: 'a/debug@v1' }],
      ['two functions without a prefix', false, { uses: 'execute' }, { uses: 'debug' }],
      ['a function and a script', false, { test: null }, { uses: null, test: null }],
      ['two versions of a function', true, { uses: 'a/execute@v1' }, { uses: 'a/execute@v2.1' }],
      ['a version and none', true, { uses: 'a/execute@v1' }, { uses: 'a/execute' }],
      ['two steps with one reference', true, { stepId: 'a' as StepId }, { stepId: 'b' as StepId }],
      [
        'two scripts',
        true,
        { stepId: 'a' as StepId, uses: null, test: null },
        { stepId: 'b' as StepId, uses: null, test: null },
      ],
    ],
    // HTTP 2.6: Earlier executions, also of earlier runs, are the history of the newest.
  )('%s: the same name is one test case: %j', (_, isSame, left, right) => {
    const keyOf = (changed: Partial<TestOrigin>) => testCaseKey({ ...origin, ...changed }, result);
    const { reference, ...rest } = keyOf(left);
    const { reference: other, ...others } = keyOf(right);
    expect(reference === other).toBe(isSame);
    expect(rest).toEqual(others);
  });

  test('reads as a path, a name and a path', () => {
    const key = testCaseKey(origin, { name: 'src/a.ts#works 100%', suite: 'src/a.ts' });
    expect(key).toEqual({
      suite: 'unit/node-test/src%2Fa.ts',
      name: 'works 100%',
      reference: 'node-test/execute/test%2Fcart.test.js',
    });
  });

  test('of different jobs and suites is never the same', () => {
    const part = fc.string({
      unit: fc.constantFrom('/', '%', '2', 'F', 'a'),
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(fc.tuple(part, part), fc.tuple(part, part), (left, right) => {
        const suiteOf = ([jobKey, name]: readonly [string, string]): string =>
          testCaseKey({ ...origin, jobKey }, { name }).suite;
        expect(suiteOf(left) === suiteOf(right)).toBe(left.join('\n') === right.join('\n'));
      }),
    );
  });
});

test.each([
  ['SUCCESS', 'success'],
  ['FAILURE', 'failure'],
  ['ERROR', 'error'],
  ['SKIPPED', 'skipped'],
] as const)('%s is the outcome %s', (status, outcome) => {
  expect(outcomeOf(status)).toBe(outcome);
});
