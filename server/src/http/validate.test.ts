import { isOrchestratorError, subscriptionSchema, workflowManifestSchema } from '@tutti/manifests';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createValidator, formatPath, formatProblem } from './validate.ts';

const workflow = createValidator(workflowManifestSchema);
const subscription = createValidator(subscriptionSchema);

const problemsOf = (value: unknown) => workflow.problems(value).map(formatProblem);
const job = (content: object) => ({ metadata: { name: 'x' }, jobs: { a: content } });
const step = (content: unknown) => job({ steps: [content] });

test('a valid document has no problems, and comes back unchanged', () => {
  const manifest = step({ run: 'echo' });
  expect(problemsOf(manifest)).toEqual([]);
  expect(workflow.parse(manifest, 'bad')).toBe(manifest);
});

describe('problems are described in the words of the document', () => {
  test.each<[string, unknown, readonly string[]]>([
    ['missing keys', {}, ['"metadata" is missing', '"jobs" is missing']],
    ['wrong document', [], ['must be an object, not a list']],
    [
      'wrong kind',
      { ...step({ run: 'x' }), kind: 'Work' },
      ['kind: must be "Workflow", not "Work"'],
    ],
    [
      'unknown key',
      job({ 'run-on': 'linux', steps: [{ run: 'x' }] }),
      ['jobs.a: unknown key "run-on", did you mean "runs-on"?'],
    ],
    [
      'unknown key like no other',
      job({ banana: 1, steps: [{ run: 'x' }] }),
      ['jobs.a: unknown key "banana"'],
    ],
    ['neither of two', step({}), ['jobs.a.steps[0]: must have "run" or "uses"']],
    [
      'both of two',
      step({ run: 'x', uses: 'a/b' }),
      ['jobs.a.steps[0]: must have only one of "run" and "uses"'],
    ],
    ['wrong type of step', step(5), ['jobs.a.steps[0]: must be an object, not 5']],
    ['empty list', job({ steps: [] }), ['jobs.a.steps: must not be empty']],
    [
      'alternatives',
      job({ 'runs-on': {}, steps: [{ run: 'x' }] }),
      ['jobs.a.runs-on: must be a tag, an expression or a list, not an object'],
    ],
    [
      'inside an alternative',
      job({ 'runs-on': ['ok', '1x'], steps: [{ run: 'x' }] }),
      [
        'jobs.a.runs-on[1]: must be a tag or an expression, not "1x", a tag begins with a letter and has only letters, digits and "-"',
      ],
    ],
    [
      'an object among texts',
      step({ run: 'x', variables: { b: { val: 'x' } } }),
      [
        'jobs.a.steps[0].variables.b: "value" is missing',
        'jobs.a.steps[0].variables.b: unknown key "val"',
      ],
    ],
    [
      'bad name',
      step({ run: 'x', variables: { 'c d': 'x' } }),
      ['jobs.a.steps[0].variables: "c d" is not a valid name (it must match ^[a-zA-Z0-9_]+$)'],
    ],
    [
      'number',
      job({ 'timeout-minutes': 0, steps: [{ run: 'x' }] }),
      ['jobs.a.timeout-minutes: must be a number above 0 or an expression, not 0'],
    ],
    [
      'one of',
      { ...step({ run: 'x' }), inputs: { x: { description: '', type: 'text' } } },
      ['inputs.x.type: must be one of "string", "number", "boolean", "choice", not "text"'],
    ],
    [
      'bad name of a job',
      { metadata: { name: 'x' }, jobs: { 'b c': { steps: [] } } },
      [
        'jobs: "b c" is not a valid name (it must match ^[a-zA-Z_][a-zA-Z0-9_-]*$)',
        'jobs["b c"].steps: must not be empty',
      ],
    ],
  ])('%s', (_, value, expected) => {
    expect(problemsOf(value)).toEqual(expected);
  });
});

test('a refusal carries the message and every problem on a line', () => {
  const value = { apiVersion: 'v1', kind: 'Subscription', metadata: {}, spec: { selctor: {} } };
  try {
    subscription.parse(value, 'Not a valid Subscription manifest.');
    expect.unreachable();
  } catch (error) {
    expect(isOrchestratorError(error) && error).toMatchObject({
      reason: 'Invalid',
      message: 'Not a valid Subscription manifest.',
      details: {
        error:
          'metadata: "name" is missing\nspec: "subscriber" is missing\n' +
          'spec: unknown key "selctor", did you mean "selector"?',
      },
    });
  }
});

test.each([
  [51, '... and 1 more problem"'],
  [60, '... and 10 more problems"'],
])('for %d problems fifty are listed, with the number of the others', (count, actual) => {
  const steps = Array.from({ length: count }, () => ({}));
  try {
    workflow.parse(job({ steps }), 'bad');
    expect.unreachable();
  } catch (error) {
    const text = isOrchestratorError(error) ? JSON.stringify(error.details) : '';
    expect(text.split('\\n')).toHaveLength(51);
    expect(text).toContain(actual);
  }
});

test('a huge wrong document is checked up to its first problem', () => {
  const steps = Array.from({ length: 30_000 }, () => 1);
  expect(problemsOf(job({ steps }))).toHaveLength(1);
});

test('paths quote names that are no plain words', () => {
  expect(formatPath(['jobs', 'a', 'steps', 0, 'with', 'x.y'])).toBe('jobs.a.steps[0].with["x.y"]');
  expect(formatPath([])).toBe('');
});

test('any JSON value is validated without failing', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(Array.isArray(problemsOf(value))).toBe(true);
      expect(Array.isArray(problemsOf(job({ steps: value })))).toBe(true);
    }),
    { numRuns: 300 },
  );
});
