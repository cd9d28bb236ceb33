import type { AttachmentId, NotificationEvent, RunEvent, TestResult } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { evolve } from './evolve.ts';
import { GENERAL_ERRORS_LIMITS, placedErrors } from './general-errors.ts';
import type { Run } from './run.ts';
import { given } from './testing/given.ts';
import { aboutRun, job, NOON_MS, offer, result, workflow } from './testing/inputs.ts';

const REPORT = 'file-1' as AttachmentId;
const OTHER = 'file-2' as AttachmentId;

type Spec = NotificationEvent['spec'];

const tested = (name: string, more: Partial<TestResult> = {}): TestResult => ({
  id: name,
  name,
  status: 'SUCCESS',
  duration: 1,
  attachment_origin: REPORT,
  ...more,
});
const errorsList = (...messages: readonly string[]) => messages.map((message) => ({ message }));
const ofNone = (...messages: readonly string[]): object => ({
  'tutti.general-errors': errorsList(...messages).map((error) => ({
    ...error,
    attachment_origin: REPORT,
  })),
});
const results = (...testResults: readonly TestResult[]): Spec => ({ testResults });

/** A run whose only step attached two reports. */
function reported(): Run {
  const attachments = { '/tmp/a_0_x.xml': { uuid: REPORT }, '/tmp/a_0_y.xml': { uuid: OTHER } };
  return given(
    workflow({ a: job(['x']) }),
    offer('a'),
    result('a', 0, { metadata: { attachments } }),
  ).run;
}

const notification = (spec: Spec): RunEvent => ({
  kind: 'Notification',
  apiVersion: 'example.org/v1alpha1',
  metadata: { ...aboutRun(NOON_MS), attachment_origin: [REPORT] },
  spec,
});

/** Errors that each commit places, as `test: messages`. A commit has one or more notifications. */
function placedBy(...commits: readonly (readonly Spec[])[]): readonly (readonly string[])[] {
  let run = reported();
  return commits.map((specs) => {
    const before = run;
    const events = specs.map(notification);
    run = events.reduce(evolve, run);
    return placedErrors(before, run, events).map(
      ({ test: { name }, errors }) => `${name}: ${errors.map(({ message }) => message).join()}`,
    );
  });
}

const skipped = tested('skipped', { status: 'SKIPPED' });

test.each<[string, readonly (readonly Spec[])[], readonly (readonly string[])[]]>([
  ['nothing', [[results(tested('one'))]], [[]]],
  [
    'errors of the first',
    [[results(tested('one', { errorsList: errorsList('e') }))]],
    [['one: e']],
  ],
  [
    'errors of a later one',
    [[results(tested('one'), tested('two', { errorsList: errorsList('e', 'f') }))]],
    [['one: e,f']],
  ],
  [
    'errors of several',
    [
      [results(tested('one', { errorsList: errorsList('e') }))],
      [
        results(
          tested('two', { errorsList: errorsList('f') }),
          tested('three', { errorsList: errorsList('g') }),
        ),
      ],
    ],
    [['one: e'], ['one: f,g']],
  ],
  ['errors without a test, at once', [[ofNone('e'), results(tested('one'))]], [['one: e']]],
  ['errors after the tests', [[results(tested('one'))], [ofNone('e')]], [[], ['one: e']]],
  [
    'errors before the tests',
    [[ofNone('e')], [ofNone('f')], [results(tested('one'))]],
    [[], [], ['one: e,f']],
  ],
  ['errors without any test', [[ofNone('e')]], [[]]],
  [
    'a test that was skipped, and one that was not',
    [[results(skipped)], [results(tested('one'))], [ofNone('e')]],
    [[], [], ['one: e']],
  ],
  [
    'tests that were skipped, and then one that was not',
    [
      [results(skipped, tested('other', { status: 'SKIPPED' }))],
      [ofNone('e')],
      [results(tested('one'))],
      [ofNone('f')],
    ],
    [[], ['skipped: e'], [], ['skipped: f']],
  ],
  [
    'another report',
    [
      [
        results(
          tested('one'),
          tested('two', { attachment_origin: OTHER, errorsList: errorsList('e') }),
        ),
      ],
    ],
    [['two: e']],
  ],
  [
    'a report that is none of the run',
    [
      [
        results(
          tested('one', { attachment_origin: 'none' as AttachmentId, errorsList: errorsList('e') }),
        ),
      ],
    ],
    [[]],
  ],
  // HTTP 2.6: General errors are a list with message and time, of the first executed test case alone.
])('of %s, all errors go to one test case of their report', (_name, commits, placed) => {
  expect(placedBy(...commits)).toEqual(placed);
});

test('errors are bounded in number and length', () => {
  const { errors: max, messageLength } = GENERAL_ERRORS_LIMITS;
  const many = errorsList(...Array.from({ length: max }, () => 'x'.repeat(messageLength + 1)));
  const run = reported();
  const events = [
    notification(ofNone('first')),
    notification(results(tested('one', { errorsList: many }), tested('two', { errorsList: many }))),
  ];
  const after = events.reduce(evolve, run);
  const [placed] = placedErrors(run, after, events);
  expect(placed?.errors).toHaveLength(max);
  expect(placed?.errors[0]?.message).toBe('first');
  expect(placed?.errors[1]?.message).toBe(`${'x'.repeat(messageLength - 1)}…`);
  const late = [notification(ofNone('late'))];
  expect(placedErrors(after, late.reduce(evolve, after), late)).toEqual([]);
});

test('a result may have more errors than a call may have arguments', () => {
  const many = Array.from({ length: 200_000 }, () => ({ message: 'e' }));
  const [placed = []] = placedBy([results(tested('one', { errorsList: many }))]);
  expect(placed).toEqual([`one: ${Array.from({ length: 100 }, () => 'e').join()}`]);
});

test('results without errors, after the first, change nothing', () => {
  const run = evolve(reported(), notification(results(tested('one'))));
  expect(evolve(run, notification(results(tested('two'))))).toBe(run);
});
