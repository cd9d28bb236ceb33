/** Gates and tests in quarantine. */
import type { TestOutcome } from '@tutti/workflow';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GateFixture, openGateFixture } from './testing.ts';

let fixture: GateFixture;
beforeAll(async () => {
  fixture = await openGateFixture();
});
afterAll(() => fixture.close());

const HISTORY = { state: 'flaky', flakeRate: 0.1, failures: 2, executions: 20 };
const OLD = { history: HISTORY, newlyFailed: false };
const HELD = { ...OLD, quarantined: true };
const NEWLY_HELD = { ...HELD, newlyFailed: true };

const addRun = (outcomes: readonly TestOutcome[], known: (index: number) => object) =>
  fixture.addRun(outcomes, {}, [], {}, known);

const rulesOf = (...rules: readonly object[]) =>
  JSON.stringify({
    qualitygates: [{ name: 'mine', rules: rules.map((rule, at) => ({ name: `r${at}`, rule })) }],
  });

test('a failure in quarantine does not count, and the rule says so', async () => {
  const id = await addRun(['success', 'failure', 'error', 'success'], () => HELD);
  const { details } = await fixture.get(id, '?mode=strict');
  const two = { tests_in_scope: 4, tests_passed: 4, tests_failed: 0, tests_quarantined: 2 };
  expect(details).toMatchObject({
    ...{ status: 'SUCCESS', quarantined: 2 },
    rules: { strict: { ...two, result: 'SUCCESS', success_ratio: '100%' } },
  });
  expect(details.rules.strict.message).toBe(
    'It passes only because 2 failures of tests in quarantine do not count.',
  );
  const scoped = rulesOf(
    { scope: "test.outcome != 'skipped'", threshold: '100%' },
    { scope: 'test.quarantined', max: 3 },
    { scope: "test.outcome == 'error'", 'max-failed': 0 },
    { threshold: '40%' },
  );
  const { rules } = (await fixture.post(id, scoped)).details;
  expect(rules.r0).toMatchObject({ ...two, result: 'SUCCESS' });
  // Tests in quarantine are in scope as all others.
  expect(rules.r1).toMatchObject({
    result: 'FAILURE',
    message: '4 test cases in scope, and max is 3.',
  });
  expect(rules.r2).toMatchObject({
    ...{ result: 'SUCCESS', tests_quarantined: 1 },
    message: 'It passes only because 1 failure of tests in quarantine does not count.',
  });
  // It would pass without quarantine, too.
  expect(rules.r3.message).toBeUndefined();
});

test('other failures count beside it', async () => {
  const id = await addRun(['failure', 'failure', 'success'], (at) => (at === 0 ? HELD : OLD));
  const { details } = await fixture.get(id, '?mode=strict');
  expect(details).toMatchObject({
    ...{ status: 'FAILURE', quarantined: 1 },
    rules: { strict: { tests_failed: 1, tests_quarantined: 1, tests_passed: 2 } },
  });
  expect(details.rules.strict.message).toBeUndefined();
});

test('a request may count all failures', async () => {
  const id = await addRun(['failure'], () => HELD);
  const { details } = await fixture.get(id, '?mode=strict&quarantine=count');
  expect(details.rules.strict).toMatchObject({ result: 'FAILURE', tests_failed: 1 });
  expect(details.rules.strict.tests_quarantined).toBeUndefined();
  expect(details.quarantined).toBeUndefined();
  expect((await fixture.get(id, '?mode=strict&quarantine=some')).code).toBe(422);
});

test.each([
  [19, 'SUCCESS'],
  [20, 'FAILURE'],
])('with %d new failures of 100, the gate is a %s', async (newFailures, status) => {
  const outcomes = Array.from({ length: 100 }, (_, at) => (at < 30 ? 'failure' : 'success'));
  const id = await addRun(outcomes as TestOutcome[], (at) =>
    at < newFailures ? NEWLY_HELD : HELD,
  );
  expect((await fixture.get(id, '?mode=strict')).details.status).toBe(status);
  const scoped = rulesOf({ scope: "test.technology == 'junit'", threshold: '100%' });
  expect((await fixture.post(id, scoped)).details.status).toBe(status);
});

test('tests without a history, skipped ones, and passed ones are not spared', async () => {
  const id = await addRun(['failure', 'skipped', 'success'], (at) => (at === 0 ? {} : HELD));
  const all = rulesOf({ threshold: '100%', 'failure-status': ['failure', 'skipped', 'success'] });
  const { details } = await fixture.post(id, all);
  expect(details.rules.r0).toMatchObject({ tests_failed: 3, tests_passed: 0 });
  expect(details.quarantined).toBeUndefined();
});

test('labels of a test management are no quarantine', async () => {
  const label = { data: { quarantined: true, status: 'FAILURE' } };
  const id = await addRun(['failure', 'success'], () => ({ ...OLD, ...label }));
  expect((await fixture.get(id, '?mode=strict')).details.rules.strict.tests_failed).toBe(1);
});

test('failures far behind the first page are found', async () => {
  const outcomes = Array.from({ length: 1_201 }, (_, at) => (at === 1_200 ? 'failure' : 'success'));
  const id = await addRun(outcomes as TestOutcome[], (at) => (at === 1_200 ? HELD : {}));
  expect((await fixture.get(id, '?mode=strict')).details).toMatchObject({ quarantined: 1 });
});
