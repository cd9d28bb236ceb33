/** Specification 4.10. */
import type { BrokenReport } from '@tutti/manifests';
import type { TestOutcome } from '@tutti/workflow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WorkflowRow } from '../../store/store.ts';
import { definition, type GateFixture, openGateFixture, UNKNOWN } from './testing.ts';

let fixture: GateFixture;
beforeAll(async () => {
  fixture = await openGateFixture();
});
afterAll(() => fixture.close());

describe('GET: the status of a gate', () => {
  test.each<[WorkflowRow['status'], readonly TestOutcome[], string, string]>([
    ['PENDING', [], 'strict', 'RUNNING'],
    ['RUNNING', ['failure'], 'strict', 'RUNNING'],
    ['DONE', [], 'strict', 'NOTEST'],
    ['DONE', [], 'passing', 'NOTEST'],
    ['DONE', ['success', 'skipped'], 'strict', 'SUCCESS'],
    ['DONE', ['success', 'failure'], 'strict', 'FAILURE'],
    ['DONE', ['success', 'error'], 'strict', 'FAILURE'],
    ['DONE', ['success', 'failure'], 'passing', 'SUCCESS'],
    ['FAILED', ['success'], 'strict', 'FAILURE'],
    ['FAILED', ['success'], 'passing', 'FAILURE'],
    ['FAILED', [], 'passing', 'FAILURE'],
  ])(
    // HTTP 3.1: Quality gates say SUCCESS, NOTEST, FAILURE or RUNNING.
    // HTTP 3.2: Value 5: the status of a quality gate follows from workflow and test cases.
    'of a %s workflow with test cases %j, by %s, is %s',
    async (state, outcomes, mode, expected) => {
      const id = await fixture.addRun(outcomes, { status: state });
      const answer = await fixture.get(id, `?mode=${mode}`);
      expect(answer).toMatchObject({ code: 200, reason: 'OK', status: 'Success', message: '' });
      expect(answer.details.status).toBe(expected);
      expect(Object.keys(answer.details)).toEqual(
        expected === 'RUNNING' ? ['status'] : ['status', 'rules'],
      );
    },
  );

  test('comes with the results of the rules, also of the built-in gates', async () => {
    const id = await fixture.addRun(['success', 'success', 'failure']);
    expect((await fixture.get(id)).details).toEqual({
      status: 'FAILURE',
      rules: {
        strict: {
          result: 'FAILURE',
          scope: 'true',
          success_ratio: '66.66%',
          tests_failed: 1,
          tests_in_scope: 3,
          tests_passed: 2,
          threshold: '100%',
        },
      },
    });
  });

  test.each([
    '',
    '?mode=',
    '?mode=strict&mode=strict',
    '?timeout=',
    '?timeout=0',
    '?timeout=86400',
  ])('is that of the mode strict for %j', async (query) => {
    const answer = await fixture.get(await fixture.addRun(['success']), query);
    expect(answer.details).toMatchObject({ status: 'SUCCESS', rules: { strict: {} } });
  });

  test('names the parameters that it understood', async () => {
    const answer = await fixture.get(await fixture.addRun([]), '?timeout=3&mode=strict&other=1');
    expect(answer.headers['x-processed-query']).toBe('mode,timeout');
  });
});

describe('reports that are not whole', () => {
  const broken: BrokenReport = {
    job: 'unit',
    step: 'Test',
    file: 'report.xml',
    problem: 'It cannot be read: the file is empty.',
    testCases: 0,
    isCut: true,
  };
  const warning =
    'Report "report.xml" of job "unit", step "Test": It cannot be read: the file is empty. None of its test cases were read. ' +
    'Look into the log of the step, correct what writes the report, and run it again.';

  test.each<[WorkflowRow['status'], readonly TestOutcome[], string]>([
    ['DONE', ['success'], 'SUCCESS'],
    ['DONE', ['failure'], 'FAILURE'],
    ['DONE', [], 'NOTEST'],
    ['FAILED', ['success'], 'FAILURE'],
    ['RUNNING', ['success'], 'RUNNING'],
  ])(
    'of a %s workflow with test cases %j leave the verdict at %s, with a warning',
    async (state, outcomes, expected) => {
      const id = await fixture.addRun(outcomes, { status: state }, [broken]);
      const { details } = await fixture.get(id);
      expect(details).toMatchObject({ status: expected, warnings: [warning] });
    },
  );

  test('are told by a definition of the request, too, behind what is to be said of that', async () => {
    const id = await fixture.addRun(['success'], {}, [broken]);
    const rules = '[{ rule: { threshold: 100% } }]';
    const again = definition(rules).replace('qualitygates:\n', '');
    const { details } = await fixture.post(id, `${definition(rules)}${again}`);
    expect(details.warnings).toEqual([expect.stringMatching(/mine/), warning]);
  });

  test('are told one by one up to a number', async () => {
    const id = await fixture.addRun(['success'], {}, Array(1000).fill(broken));
    const { details } = await fixture.get(id);
    expect(details.warnings).toHaveLength(21);
    expect(details.warnings[20]).toBe('And 980 more reports of which test cases may be missing.');
  });
});

describe('GET: what is refused', () => {
  test.each([
    ['?mode=nightly', 'Quality gate nightly not found in definition file.'],
    ['?mode=Strict', 'Quality gate Strict not found in definition file.'],
    ['?mode=a&mode=b', 'Parameter "mode" is given several times with different values.'],
    ['?timeout=-1', 'Parameter "timeout" must be an integer of 0 or more, not "-1".'],
    ['?timeout=soon', 'Parameter "timeout" must be an integer of 0 or more, not "soon".'],
    // HTTP 7: Message for a mode of a quality gate that is unknown.
  ])('%s is Invalid', async (query, message) => {
    const answer = await fixture.get(await fixture.addRun([]), query);
    expect(answer).toMatchObject({ code: 422, reason: 'Invalid', message, details: null });
  });

  test('an unknown workflow is NotFound', async () => {
    expect(await fixture.get(UNKNOWN)).toMatchObject({
      code: 404,
      reason: 'NotFound',
      message: `Workflow ${UNKNOWN} not found.`,
      details: null,
    });
  });

  // HTTP 4.10: 404 for what is unknown, and after the retention.
  // HTTP 8: Results of quality gates are kept for a time that can be configured.
  test('a workflow whose retention is over is NotFound', async () => {
    const id = await fixture.addRun(['success']);
    expect((await fixture.get(id)).code).toBe(200);
    await fixture.store.forget([id]);
    expect(await fixture.get(id)).toMatchObject({
      code: 404,
      message: `Workflow ${id} not found.`,
    });
  });

  test('a malformed id of a workflow is NotFound', async () => {
    expect(await fixture.get('nothing')).toMatchObject({ code: 404, reason: 'NotFound' });
  });
});

describe('access', () => {
  const body = definition('[{rule: {threshold: 0%}}]');
  const outcomeOf = async (method: 'GET' | 'POST', id: string, scope: object) => {
    const authorization = await fixture.restricted(scope);
    const { code, message } = await fixture.call(method, id, {
      authorization,
      query: '?mode=mine',
      ...(method === 'POST' ? { body } : { query: '' }),
    });
    return `${code} ${message}`;
  };

  test.each<['GET' | 'POST', object, string]>([
    ['GET', {}, '200 '],
    ['GET', { namespaces: ['ours'], resources: ['qualitygates'], verbs: ['get'] }, '200 '],
    ['GET', { namespaces: ['others'] }, '403 User bob is not authorized to get qualitygates.'],
    ['GET', { resources: ['workflows'] }, '403 User bob is not authorized to get qualitygates.'],
    ['GET', { verbs: ['create'] }, '403 User bob is not authorized to get qualitygates.'],
    ['POST', { namespaces: ['ours'], resources: ['qualitygates'], verbs: ['create'] }, '200 '],
    ['POST', { namespaces: ['others'] }, '403 User bob is not authorized to create qualitygates.'],
    ['POST', { verbs: ['get'] }, '403 User bob is not authorized to create qualitygates.'],
  ])('%s with a token for %j is answered %s', async (method, scope, expected) => {
    expect(await outcomeOf(method, await fixture.addRun(['success']), scope)).toBe(expected);
  });

  test.each<['GET' | 'POST']>([['GET'], ['POST']])(
    '%s without a token is Unauthorized',
    async (method) => {
      const answer = await fixture.call(method, UNKNOWN, { authorization: '' });
      expect(answer).toMatchObject({ code: 401, reason: 'Unauthorized', details: null });
    },
  );
});
