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
import type { QuarantineDeps } from './quarantine.ts';
import {
  CREATE_TESTS,
  DELETE_TESTS,
  JOURNAL_PARAMETERS,
  journalOperation,
  QUARANTINE_PARAMETERS,
  quarantineListOperation,
  quarantineOperation,
  RELEASE_PARAMETERS,
  releaseOperation,
} from './quarantine-words.ts';
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

interface TestRouteDeps extends RunTestsDeps, QuarantineDeps {
  readonly store: RunTestsDeps['store'] & QuarantineDeps['store'];
}

/** A reason, a link and an id. */
const BODY_BYTES = 16 * 1024;

export function testRoutes(deps: TestRouteDeps): Routes {
  const { store, clock } = deps;
  return (app) => {
    quarantineRoutes(app, deps);
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
      async (_request, reply) =>
        (await import('./test-list.ts')).listTests(store, reply, clock.now()),
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
      async (_request, reply) =>
        (await import('./one-test.ts')).showTest(store, reply, clock.now()),
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

function quarantineRoutes(app: FastifyInstance, deps: QuarantineDeps): void {
  const { store, clock } = deps;
  app.post<TestPath>(
    '/tests/:test_id/quarantine',
    {
      config: { access: CREATE_TESTS },
      bodyLimit: BODY_BYTES,
      schema: { summary: 'Put a test in quarantine', tags, operation: quarantineOperation },
    },
    async (_request, reply) => (await import('./quarantine.ts')).quarantineTest(deps, reply),
  );
  app.delete<TestPath>(
    '/tests/:test_id/quarantine',
    {
      config: { access: DELETE_TESTS },
      schema: {
        summary: 'Release a test from quarantine',
        tags,
        parameters: RELEASE_PARAMETERS,
        operation: releaseOperation,
      },
    },
    async (_request, reply) => (await import('./quarantine.ts')).releaseTest(deps, reply),
  );
  app.get(
    '/quarantine',
    {
      config: { access: LIST_TESTS, anywhere: true },
      schema: {
        summary: 'List the tests in quarantine',
        tags,
        parameters: QUARANTINE_PARAMETERS,
        operation: quarantineListOperation,
      },
    },
    async (_request, reply) =>
      (await import('./journal.ts')).listQuarantine(store, reply, clock.now()),
  );
  app.get(
    '/test-journal',
    {
      config: { access: LIST_TESTS, anywhere: true },
      schema: {
        summary: 'List changes of tests',
        tags,
        parameters: JOURNAL_PARAMETERS,
        operation: journalOperation,
      },
    },
    async (_request, reply) => (await import('./journal.ts')).listJournal(store, reply),
  );
}
