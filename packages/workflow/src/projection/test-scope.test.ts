import type { AttachmentId, JobId, StepId, Timestamp, WorkflowId } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { MANAGED_TEST_MEMBERS, managedTest } from './managed-test.ts';
import { type TestCaseManifest, testCaseManifest, withHistory } from './test-cases.ts';
import { parseTestScope } from './test-scope.ts';

const at = '2026-01-31T12:00:00.000000' as Timestamp;
const stepId = 's' as StepId;

/** With everything that a referential may say of a test. */
const managedTests = {
  testCases: { s: Object.fromEntries(MANAGED_TEST_MEMBERS.map((name) => [name, name])) },
};

function managedCase(): TestCaseManifest {
  const data = { global: { a: 1 }, data: { b: { c: 2 } }, test: { d: 3 } };
  const steps = [
    { id: 'p' as StepId, uses: 'junit/params@v1', with: { data } },
    { id: stepId, uses: 'junit/execute@v1' },
  ];
  return testCaseManifest({
    apiGroup: 'opentestfactory.org',
    workflow: { id: 'w' as WorkflowId, name: 'w', namespace: 'default' },
    origin: {
      jobId: 'j' as JobId,
      jobName: 'unit',
      jobKey: 'unit',
      runsOn: ['linux'],
      stepId,
      uses: 'junit/execute@v1',
      test: 'a#b',
      technology: 'junit',
      managed: managedTest(managedTests, steps, stepId),
      creationTimestamp: at,
      startTime: at,
      endTime: at,
    },
    result: {
      id: 'r',
      name: 'a#b',
      status: 'SUCCESS',
      duration: 1,
      attachment_origin: 'a' as AttachmentId,
    },
  });
}

const refusalOf = (scope: string): string => {
  try {
    parseTestScope(scope);
  } catch (error) {
    return String(Object(error).message);
  }
  return '';
};

describe('a scope, before there is a test case', () => {
  // Language 6.7: `test`, in scopes alone.
  test('may name all that a test case has', () => {
    const names = Object.keys(managedCase().test);
    expect(names).toEqual(expect.arrayContaining([...MANAGED_TEST_MEMBERS]));
    for (const name of names) expect(refusalOf(`test['${name}'] == ''`)).toBe('');
  });

  test.each([
    'test',
    "test['runs-on'][0] == 'linux'",
    "test[test.outcome] == ''",
    'test.data.b.c == 2',
    "test.reference == ''",
    "contains(test['runs-on'], test.technology)",
    "test.history.state == 'flaky' && test.history.flakeRate > 0.1 && test.newlyFailed",
    'test.history.failures < test.history.executions',
  ])('%s is none that is wrong', (scope) => {
    expect(refusalOf(scope)).toBe('');
    expect(() => parseTestScope(scope)?.({ test: withHistory(managedCase().test) })).not.toThrow();
  });

  test.each([
    ["test.tecnology == 'a'", 'test.tecnology, did you mean "technology"?'],
    ["false && test.nothing == 'a'", 'test.nothing.'],
    ["contains(test['runs_on'], 'a')", 'test.runs_on, did you mean "runs-on"?'],
    ['test.history.stat', 'test.history.stat, did you mean "state"?'],
    ['test.history.state.name', 'test.history.state.name.'],
    ['test.newlyFailed.name', 'test.newlyFailed.name.'],
    ['test.a.b', 'test.a.b.'],
    ['test.technology.name', 'test.technology.name.'],
    ['test.outcome[0]', 'test.outcome.0.'],
    ['test[test.nothing]', 'test.nothing.'],
    // HTTP 4.5: Data sources: a wrong scope is Invalid, with the text also in the details.
  ])('%s names what is nowhere', (scope, entry) => {
    expect(refusalOf(scope)).toBe(
      `[SCOPE ERROR] Nonexisting context entry in expression ${scope}: ${entry}`,
    );
  });
});

describe('a scope that a test case does not fit tells', () => {
  const shownBy = (scope: string): string => {
    try {
      parseTestScope(scope)?.(managedCase());
    } catch (error) {
      return String(Object(error).message);
    }
    return '';
  };

  test.each([
    [
      'test.data.x.y == 1',
      'Nonexisting context entry in expression test.data.x.y == 1: Invalid expression "test.data.x.y == 1": no entry "x" at position 11.',
    ],
    [
      "test['runs-on'] ~= 'a'",
      `Invalid conditional test['runs-on'] ~= 'a': Invalid expression "test['runs-on'] ~= 'a'": "~=" matches a text with a pattern, both must be texts at position 17.`,
    ],
    ["test.job ~= '('", `Invalid conditional test.job ~= '(': Invalid pattern "(": `],
    [
      "contains(test.data, 'a')",
      `Invalid conditional contains(test.data, 'a'): Invalid expression "contains(test.data, 'a')": contains() looks in a text or a list, not in a map at position 1.`,
    ],
  ])('%s', (scope, problem) => {
    expect(shownBy(scope)).toContain(`[SCOPE ERROR] ${problem}`);
  });
});
