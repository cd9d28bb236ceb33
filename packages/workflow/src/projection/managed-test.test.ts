import type { StepId, WorkflowStep } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { managedTest } from './managed-test.ts';

const steps = [
  { id: 'old', uses: 'junit/params@v1', with: { data: { global: { host: 'old' } } } },
  { id: 'p', uses: 'junit/params@v1', with: { data: { global: { host: 'a' }, test: { n: 1 } } } },
  { id: 's', uses: 'junit/execute@v1', with: { test: 'a#b' } },
] as unknown as readonly WorkflowStep[];

const managedTests = (testCases: unknown): unknown => ({ testCases });

const labels = { reference: 'REF-1', importance: 'HIGH', uuid: 'u', path: ['folder', 'sub'] };

test('a managed test has the labels of its referential and the data of the step before', () => {
  const found = managedTest(managedTests({ s: { ...labels, other: 1 } }), steps, 's' as StepId);
  expect(found).toEqual({ ...labels, global: { host: 'a' }, test: { n: 1 } });
});

test('a step without data before it has labels alone', () => {
  expect(managedTest(managedTests({ old: labels }), steps, 'old' as StepId)).toEqual(labels);
});

test('a value that is too long for every test case is left out', () => {
  const long = { ...labels, name: 'x'.repeat(5000) };
  expect(managedTest(managedTests({ s: long }), [], 's' as StepId)).toEqual(labels);
});

test.each([undefined, null, 'text', [], {}, { other: labels }, { s: 'text' }, { s: null }])(
  'test cases %j manage no step',
  (testCases) => {
    expect(managedTest(managedTests(testCases), steps, 's' as StepId)).toBeNull();
  },
);

test.each(['__proto__', 'constructor', 'toString'])('a step named %s is not managed', (id) => {
  expect(managedTest(managedTests({}), steps, id as StepId)).toBeNull();
});
