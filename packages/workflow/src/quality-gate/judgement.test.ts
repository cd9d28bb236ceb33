import type { QualityGatesDocument } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import type { TestCaseManifest, TestOutcome } from '../projection/test-cases.ts';
import { BUILT_IN_GATES, duplicateRules, readQualityGates } from './definition.ts';
import { gateStatus, type RuleResult, RuleTally } from './judgement.ts';

type Definition = QualityGatesDocument['qualitygates'][number];

function testCase(outcome: TestOutcome, technology = 'junit'): Pick<TestCaseManifest, 'test'> {
  return {
    test: {
      'runs-on': ['linux'],
      uses: '',
      test: '',
      technology,
      job: 'unit',
      suiteName: 'suite',
      testCaseName: outcome,
      outcome,
      managed: false,
    },
  };
}

function rulesOf(definition: Partial<Definition> & Pick<Definition, 'rules'>) {
  const [gate] = readQualityGates({ qualitygates: [{ name: 'gate', ...definition }] });
  if (gate === undefined) throw new Error('There is one gate.');
  return gate.rules;
}

function judged(
  definition: Partial<Definition> & Pick<Definition, 'rules'>,
  testCases: readonly Pick<TestCaseManifest, 'test'>[],
): readonly RuleResult[] {
  return rulesOf(definition).map((rule) => {
    const tally = new RuleTally(rule);
    for (const one of testCases) tally.add(one);
    return tally.result();
  });
}

const cases = (outcomes: readonly TestOutcome[]) => outcomes.map((outcome) => testCase(outcome));

describe('a threshold', () => {
  test.each<[string, readonly TestOutcome[], string, string]>([
    ['100%', ['success', 'success'], 'SUCCESS', '100%'],
    ['100%', ['success', 'skipped'], 'SUCCESS', '100%'],
    ['100%', ['success', 'failure'], 'FAILURE', '50%'],
    ['100%', ['success', 'error'], 'FAILURE', '50%'],
    ['50%', ['success', 'error'], 'SUCCESS', '50%'],
    ['51%', ['success', 'error'], 'FAILURE', '50%'],
    ['66%', ['success', 'success', 'failure'], 'SUCCESS', '66.66%'],
    ['67%', ['success', 'success', 'failure'], 'FAILURE', '66.66%'],
    ['05%', ['failure'], 'FAILURE', '0%'],
    ['0%', ['failure'], 'SUCCESS', '0%'],
    ['0%', [], 'NOTEST', '0%'],
  ])('of %s judges %j as %s with %s', (threshold, outcomes, result, ratio) => {
    const [first] = judged({ rules: [{ rule: { threshold } }] }, cases(outcomes));
    expect(first).toMatchObject({ result, success_ratio: ratio, threshold });
  });

  test('of 100 % is not reached by a share that only rounds to it', () => {
    const [rule] = rulesOf({ rules: [{ rule: { threshold: '100%' } }] });
    if (rule === undefined) throw new Error('There is one rule.');
    const tally = new RuleTally(rule);
    tally.addCount('success', 99_999);
    tally.addCount('failure', 1);
    expect(tally.result()).toMatchObject({ result: 'FAILURE', success_ratio: '99.99%' });
  });
});

test.each<[object, readonly TestOutcome[], string, string | undefined]>([
  [{ 'max-failed': 1 }, ['failure', 'success'], 'SUCCESS', undefined],
  [{ 'max-failed': 0 }, ['error'], 'FAILURE', '1 test case failed, and max-failed is 0.'],
  [{ 'max-failed': 0 }, [], 'NOTEST', undefined],
  [{ max: 2 }, ['failure', 'success'], 'SUCCESS', undefined],
  [{ max: 1 }, ['success', 'success'], 'FAILURE', '2 test cases in scope, and max is 1.'],
  [{ max: 2, threshold: '60%' }, ['failure', 'success'], 'FAILURE', undefined],
])('the limits %j judge %j as %s', (limits, outcomes, result, message) => {
  const [first] = judged({ rules: [{ rule: limits }] }, cases(outcomes));
  expect([first?.result, first?.message]).toEqual([result, message]);
});

// HTTP 2.9: The result of a rule of a quality gate.
test('a result has all that the interface shows of it', () => {
  const scope = "test.technology == 'junit'";
  const rules = [{ name: 'unit', rule: { scope, threshold: '80%' } }];
  const all = [...cases(['success', 'failure', 'skipped']), testCase('error', 'cypress')];
  expect(judged({ rules }, all)).toEqual([
    {
      result: 'FAILURE',
      scope,
      success_ratio: '66.66%',
      tests_failed: 1,
      tests_in_scope: 3,
      tests_passed: 2,
      threshold: '80%',
    },
  ]);
});

test.each<[NonNullable<Definition['rules'][number]['rule']['failure-status']>, number]>([
  [['failure'], 1],
  [['skipped', 'error'], 2],
  [['success'], 1],
  [['blocked'], 0],
  [[], 0],
])('outcomes %j count as failed instead of the default ones', (failureStatus, failed) => {
  const rules = [{ rule: { threshold: '100%', 'failure-status': failureStatus } }];
  const [first] = judged({ rules }, cases(['success', 'failure', 'error', 'skipped']));
  expect(first).toMatchObject({
    tests_failed: failed,
    tests_in_scope: 4,
    tests_passed: 4 - failed,
  });
});

describe('a scope', () => {
  const one = [testCase('success'), testCase('failure', 'cypress')];
  const junit = "test.technology == 'junit'";

  test.each<[string | boolean | undefined, string | boolean | undefined, string, number]>([
    [undefined, undefined, 'true', 2],
    [undefined, true, 'true', 2],
    [true, undefined, 'true', 2],
    [false, undefined, 'false', 0],
    [true, junit, `(true) && (${junit})`, 1],
    [undefined, ' ', 'true', 2],
    [undefined, 'TRUE', 'TRUE', 2],
    [undefined, 'false', 'false', 0],
    [undefined, junit, junit, 1],
    [undefined, `\${{ ${junit} }}`, `\${{ ${junit} }}`, 1],
    [junit, undefined, junit, 1],
    [junit, "test.outcome == 'failure'", `(${junit}) && (test.outcome == 'failure')`, 0],
    [
      'true',
      "contains(test['runs-on'], 'linux')",
      "(true) && (contains(test['runs-on'], 'linux'))",
      2,
    ],
  ])('%j of the gate and %j of the rule are %j', (ofGate, ofRule, shown, count) => {
    const rule = { threshold: '0%', ...(ofRule === undefined ? {} : { scope: ofRule }) };
    const gate = { rules: [{ rule }], ...(ofGate === undefined ? {} : { scope: ofGate }) };
    const [first] = judged(gate, one);
    expect(first).toMatchObject({ scope: shown, tests_in_scope: count });
  });

  test.each([
    ['test.', '[SCOPE ERROR] Invalid conditional test.:'],
    ['nobody()', '[SCOPE ERROR] Invalid conditional nobody(): unknown function nobody().'],
    ['job.name', '[SCOPE ERROR] Nonexisting context entry in expression job.name: job.'],
    ['test.data.x', '[SCOPE ERROR] Nonexisting context entry in expression test.data.x:'],
  ])('that is wrong (%s) is reported, and counts nothing', (scope, message) => {
    const [first] = judged({ rules: [{ rule: { scope, threshold: '0%' } }] }, one);
    expect(first).toEqual({
      result: 'INVALID_SCOPE',
      scope,
      success_ratio: '0%',
      tests_failed: 0,
      tests_in_scope: 0,
      tests_passed: 0,
      threshold: '0%',
      message: expect.stringContaining(message),
    });
  });

  test('that is wrong as a text is wrong without test cases, too', () => {
    const [first] = judged({ rules: [{ rule: { scope: 'test.', threshold: '0%' } }] }, []);
    expect(first?.result).toBe('INVALID_SCOPE');
  });

  test.each([
    ['', true],
    ['true', true],
    ["test.job == 'a'", false],
  ])('%j takes all test cases unseen: %s', (scope, takesAll) => {
    const [rule] = rulesOf({ rules: [{ rule: { scope, threshold: '0%' } }] });
    expect(rule === undefined ? null : new RuleTally(rule).takesAll).toBe(takesAll);
  });
});

describe('the status of a gate (specification 3.2, derived value 5)', () => {
  test.each<[boolean, readonly RuleResult['result'][], string]>([
    [true, ['SUCCESS', 'SUCCESS'], 'SUCCESS'],
    [true, ['SUCCESS', 'NOTEST'], 'SUCCESS'],
    [true, ['NOTEST', 'NOTEST'], 'NOTEST'],
    [true, ['SUCCESS', 'FAILURE'], 'FAILURE'],
    [true, ['NOTEST', 'FAILURE'], 'FAILURE'],
    [true, ['SUCCESS', 'INVALID_SCOPE'], 'FAILURE'],
    [false, ['SUCCESS'], 'FAILURE'],
    [false, ['NOTEST'], 'FAILURE'],
    [false, ['FAILURE'], 'FAILURE'],
    // HTTP 3.2: Value 5: the status of a quality gate follows from workflow and test cases.
  ])('of a run that succeeded: %s, with rules %j, is %s', (isDone, results, expected) => {
    const [example] = judged({ rules: [{ rule: { threshold: '0%' } }] }, []);
    if (example === undefined) throw new Error('There is one rule.');
    expect(
      gateStatus(
        isDone,
        results.map((result) => ({ ...example, result })),
      ),
    ).toBe(expected);
  });
});

// HTTP 4.10: GET: modes of the configuration, `strict` without one; the two that always exist.
test('strict asks for all test cases to be OK, passing for none', () => {
  const results = BUILT_IN_GATES.map(({ name, rules }) => {
    const tallies = rules.map((rule) => new RuleTally(rule));
    for (const tally of tallies) {
      for (const one of cases(['success', 'failure'])) tally.add(one);
    }
    return [name, ...tallies.map((tally) => `${tally.rule.name} ${tally.result().result}`)];
  });
  expect(results).toEqual([
    ['strict', 'strict FAILURE'],
    ['passing', 'passing SUCCESS'],
  ]);
});

test('a rule without a name is named by its place', () => {
  const rule = { threshold: '1%' };
  const names = rulesOf({ rules: [{ rule }, { name: 'second', rule }, { rule }] });
  expect(names.map(({ name }) => name)).toEqual(['rule-1', 'second', 'rule-3']);
});

test('several rules of a gate with one name are told', () => {
  const rule = { threshold: '1%' };
  const once = { name: 'fine', rules: [{ name: 'a', rule }] };
  const twice = { name: 'bad', rules: [{ name: 'a', rule }, { rule }, { name: 'a', rule }] };
  expect(duplicateRules({ qualitygates: [once, twice] })).toEqual([
    {
      path: ['qualitygates', 1, 'rules', 2],
      message: 'Quality gate "bad" has several rules with the name "a".',
    },
  ]);
});

test('a rule without a name gets one that no other rule was given', () => {
  const rule = { threshold: '1%' };
  const gate = { name: 'fine', rules: [{ rule }, { name: 'rule-1', rule }, { rule }] };
  expect(duplicateRules({ qualitygates: [gate] })).toEqual([]);
  const [read] = readQualityGates({ qualitygates: [gate] });
  expect(read?.rules.map(({ name }) => name)).toEqual(['rule-1+', 'rule-1', 'rule-3']);
});
