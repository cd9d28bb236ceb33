/** Errors that are about no single test case (specification 2.6). */
import { expect, test } from 'vitest';
import { type Answer, itemsOf, type Loose } from '../support/api.ts';
import { allEvents, ended, oneJob, only, sh, start, workersEnded } from '../support/runs.ts';
import { JUNIT_TYPE } from '../support/sample-run.ts';
import { sharedServer } from '../support/shared-server.ts';

const { server } = await sharedServer({ tags: ['linux'], name: 'shell' });

const testCasesOf = (id: string) => server.call('GET', `/workflows/${id}/datasources/testcases`);

interface ShownCase {
  readonly metadata: { readonly name: string };
  readonly status: string;
  readonly execution: { readonly errorsList?: readonly { readonly message: string }[] };
}

/** Name, status and messages of general errors of each test case. */
const errorsIn = (answer: Answer): readonly unknown[] =>
  itemsOf(answer).map((item) => {
    const { metadata, status, execution } = item as ShownCase;
    return [metadata.name, status, (execution.errorsList ?? []).map(({ message }) => message)];
  });

// HTTP 2.6: General errors are a list with message and time, of the first executed test case alone.
test('general errors of a report are shown with its first executed test case, and those of suites count', async () => {
  const report = [
    '<testsuites>',
    '<testsuite name="ok"><testcase name="left out"><skipped/></testcase><testcase name="one"/><testcase name="two"/></testsuite>',
    '<testsuite name="db"><error message="no host"/></testsuite>',
    '<testsuite name="cut"><testcase name="three"/><testcase',
  ].join('\n');
  const id = await start(
    server,
    oneJob('general', [
      sh(
        `cat > report.xml <<'END'\n${report}\nEND\necho "::attach type=${JUNIT_TYPE}::$PWD/report.xml"`,
      ),
    ]),
  );
  await ended(server, id);
  await workersEnded(server, id);
  expect(errorsIn(await testCasesOf(id))).toEqual([
    ['ok#left out', 'SKIPPED', []],
    [
      'ok#one',
      'SUCCESS',
      [
        'db: no host',
        expect.stringMatching(/^Could not read all test results of report\.xml: .*\.$/),
      ],
    ],
    ['ok#two', 'SUCCESS', []],
    ['db#db', 'ERROR', []],
    ['cut#three', 'SUCCESS', []],
  ]);
});

// HTTP 2.6: General errors are a list with message and time, of the first executed test case alone.
test('general errors that a plugin tells, with any result and before all, are shown with the first', async () => {
  const id = await start(
    server,
    oneJob('told', [sh('echo x > own.txt; echo "::attach type=application/x-own::$PWD/own.txt"')]),
  );
  await ended(server, id);
  const events = only(await allEvents(server, id), 'ExecutionResult');
  const [file] = events.flatMap(({ metadata }) => Object.values(metadata.attachments ?? {}));
  const send = (testResults: readonly Loose[]) =>
    server.call('POST', '/publications', {
      body: {
        apiVersion: 'opentestfactory.org/v1alpha1',
        kind: 'Notification',
        metadata: { name: 'results', workflow_id: id, attachment_origin: [file?.uuid] },
        spec: { testResults },
      },
    });
  const result = (name: string, errorsList: readonly Loose[] = []) => ({
    id: name,
    name: `suite#${name}`,
    status: 'FAILURE',
    duration: 1,
    errorsList,
  });
  await send([{ errorsList: [{ message: 'no browser', timestamp: '2026-01-31T12:00:00' }] }]);
  await send([result('one'), result('two', [{ message: 'of two' }])]);
  await send([result('three', [{ message: 'of three' }])]);
  const answer = await testCasesOf(id);
  expect(errorsIn(answer)).toEqual([
    ['suite#one', 'FAILURE', ['no browser', 'of two', 'of three']],
    ['suite#two', 'FAILURE', []],
    ['suite#three', 'FAILURE', []],
  ]);
  expect(itemsOf(answer)[0]).toHaveProperty('execution.errorsList.0', {
    message: 'no browser',
    timestamp: '2026-01-31T12:00:00.000000',
  });
});

// HTTP 2.6: `execution` has times and milliseconds.
test('2.6: a result that a plugin tells with no more than name and status is a test case', async () => {
  const id = await start(
    server,
    oneJob('least', [sh('echo x > own.txt; echo "::attach type=application/x-own::$PWD/own.txt"')]),
  );
  await ended(server, id);
  const events = only(await allEvents(server, id), 'ExecutionResult');
  const [file] = events.flatMap(({ metadata }) => Object.values(metadata.attachments ?? {}));
  const least = { name: 'suite#case', status: 'FAILURE', suite: null, errorDetails: null };
  const body = {
    apiVersion: 'opentestfactory.org/v1alpha1',
    kind: 'Notification',
    metadata: { workflow_id: id, attachment_origin: [file?.uuid] },
    spec: { testResults: [{ ...least, failureDetails: { message: 'no', type: null, at: 1 } }] },
  };
  expect((await server.call('POST', '/publications', { body })).code).toBe(200);
  const [item] = itemsOf(await testCasesOf(id));
  expect(item).toMatchObject({
    metadata: { name: 'suite#case', id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-/) },
    execution: { duration: 0 },
  });
  expect(item).toHaveProperty('execution.failureDetails', { message: 'no' });
});
