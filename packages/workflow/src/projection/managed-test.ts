/** Fields that a test referential adds to the test of a step (wire facts 2.14 and 9.1). */

import type { StepId, WorkflowStep } from '@tutti/manifests';
import { dictionary } from '@tutti/manifests';

/** More fields of a test case; values as the referential gave them. */
export type ManagedTest = Readonly<Record<string, unknown>>;

const LABELS = [
  'technology-name',
  'collection',
  'name',
  'reference',
  'importance',
  'nature',
  'path',
  'type',
  'uuid',
];
/** Data that the previous step gave the test. */
const DATA = ['global', 'data', 'test'];
const PARAMS = /\/params(?:@|$)/;
/** Fields that only managed test cases have. */
export const MANAGED_TEST_MEMBERS: readonly string[] = [...LABELS, ...DATA];
/** Characters of one value as JSON: it is repeated in every test case of the step. */
const VALUE_LENGTH_MAX = 4096;

/** Null when no referential manages the tests of the step. `managedTests`: as it stands in the metadata of the jobs. */
export function managedTest(
  managedTests: unknown,
  steps: readonly WorkflowStep[],
  stepId: StepId,
): ManagedTest | null {
  const described = recordAt(recordAt(managedTests, 'testCases'), stepId);
  if (described === null) return null;
  return { ...chosen(paramsBefore(steps, stepId), DATA), ...chosen(described, LABELS) };
}

function paramsBefore(steps: readonly WorkflowStep[], stepId: StepId): object | null {
  const at = steps.findIndex(({ id }) => id === stepId);
  const step = steps.slice(0, Math.max(at, 0)).findLast(({ uses }) => PARAMS.test(uses ?? ''));
  return recordAt(step?.with, 'data');
}

function chosen(from: object | null, names: readonly string[]): ManagedTest {
  const values = dictionary<unknown>();
  for (const name of names) {
    const value = valueAt(from, name);
    const json = value === undefined ? undefined : JSON.stringify(value);
    if (json !== undefined && json.length <= VALUE_LENGTH_MAX) values[name] = value;
  }
  return values;
}

function valueAt(container: unknown, name: string): unknown {
  const isRecord = typeof container === 'object' && container !== null && !Array.isArray(container);
  return isRecord && Object.hasOwn(container, name) ? Reflect.get(container, name) : undefined;
}

function recordAt(container: unknown, name: string): object | null {
  const value = valueAt(container, name);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
}
