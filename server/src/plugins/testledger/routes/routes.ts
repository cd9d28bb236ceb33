/** `GET /tests` and what is below it: the history of tests. Answers are loaded with the first request. */
import type { FastifyInstance } from 'fastify';
import type { Routes } from '../../../http/routes.ts';
import { checkRunFirst, type RunPath } from '../../../http/run-in-path.ts';
import {
  CAUSE_LIST_PARAMETERS,
  type CausePath,
  causeOperation,
  causesOperation,
} from './cause-words.ts';
import type { HistoryStore } from './history-store.ts';
import type { RunTestsDeps } from './run-tests.ts';
import {
  EXECUTION_PARAMETERS,
  executionsOperation,
  GET_TESTS,
  LIST_PARAMETERS,
  LIST_TESTS,
  ONE_PARAMETERS,
  RUN_TESTS_PARAMETERS,
  runTestsOperation,
  type TestPath,
  testOperation,
  testsOperation,
} from './words.ts';

const tags = ['testledger'];

interface TestRouteDeps extends RunTestsDeps {
  readonly store: RunTestsDeps['store'] & HistoryStore;
}

export function testRoutes(deps: TestRouteDeps): Routes {
  const { store } = deps;
  return (app) => {
    app.get<RunPath>(
      '/workflows/:workflow_id/tests',
      {
        config: { access: LIST_TESTS },
        onRequest: checkRunFirst(store, LIST_TESTS),
        schema: {
          summary: 'Tests behind test cases of a workflow, with their newest outcomes',
          tags,
          parameters: RUN_TESTS_PARAMETERS,
          operation: runTestsOperation,
        },
      },
      async (_request, reply) => (await import('./run-tests.ts')).listTestsOfRun(deps, reply),
    );
    app.get(
      '/tests',
      {
        config: { access: LIST_TESTS, anywhere: true },
        schema: {
          summary: 'List tests with their states',
          tags,
          parameters: LIST_PARAMETERS,
          operation: testsOperation,
        },
      },
      async (_request, reply) => (await import('./test-list.ts')).listTests(store, reply),
    );
    app.get<TestPath>(
      '/tests/:test_id',
      {
        config: { access: GET_TESTS, anywhere: true },
        schema: {
          summary: 'A test, and the evidence for its state',
          tags,
          parameters: ONE_PARAMETERS,
          operation: testOperation,
        },
      },
      async (_request, reply) => (await import('./one-test.ts')).showTest(store, reply),
    );
    app.get<TestPath>(
      '/tests/:test_id/executions',
      {
        config: { access: GET_TESTS, anywhere: true },
        schema: {
          summary: 'Executions of a test, the newest first',
          tags,
          parameters: EXECUTION_PARAMETERS,
          operation: executionsOperation,
        },
      },
      async (_request, reply) =>
        (await import('./test-executions.ts')).listExecutions(store, reply),
    );
    causeRoutes(app, store);
  };
}

function causeRoutes(app: FastifyInstance, store: HistoryStore): void {
  app.get(
    '/causes',
    {
      config: { access: LIST_TESTS, anywhere: true },
      schema: {
        summary: 'List causes of failures over all runs',
        tags,
        parameters: CAUSE_LIST_PARAMETERS,
        operation: causesOperation,
      },
    },
    async (_request, reply) => (await import('./cause-list.ts')).listCauses(store, reply),
  );
  app.get<CausePath>(
    '/causes/:cause_id',
    {
      config: { access: GET_TESTS, anywhere: true },
      schema: {
        summary: 'A cause of failures with its tests, runs, versions and environments',
        tags,
        operation: causeOperation,
      },
    },
    async (_request, reply) => (await import('./one-cause.ts')).showCause(store, reply),
  );
}
