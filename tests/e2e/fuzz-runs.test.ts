/**
 * Random messages from participants of runs: plugins that publish results and reports of existing jobs, and agents
 * that post anything. A run may fail, but never the server, and the run can still be read.
 */
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type ApiRequest, detailsOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { expectStatus } from '../support/expect-status.ts';
import { processorMs } from '../support/process-facts.ts';
import { allEvents, oneJob, only, sh, start } from '../support/runs.ts';
import { SlowestInput } from '../support/slowest-input.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const ANSWER_WITHIN_MS = 15_000;
/** The same requests each time, so that a failure can be looked at. FUZZ_SEED and FUZZ_RUNS search elsewhere and longer. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_260_131);
const runs = (count: number): fc.Parameters<unknown> => ({
  seed: SEED,
  numRuns: count * Number(process.env.FUZZ_RUNS ?? 1),
});

const slowest = new SlowestInput(SEED);
let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
});

afterAll(async () => {
  slowest.report();
  await bench.close();
});

afterEach(() => {
  expect(server.child.isRunning).toBe(true);
  expect(server.child.stderr).not.toMatch(/"level":"(?:error|fatal)"/);
});

async function expectAnswer(method: string, path: string, request: ApiRequest = {}): Promise<void> {
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const { body = '', query = '' } = request;
  const shown = typeof body === 'string' ? body : JSON.stringify(body);
  const input = `${method} ${path}?${query} ${shown}`;
  const answer = await slowest.measureOther(
    input,
    () => processorMs(server.child.pid),
    () => server.call(method, path, { ...request, signal }),
  );
  expect(answer.code, answer.text).toBeLessThan(500);
  if (answer.code >= 400) expectStatus(answer);
}

/** Whatever a value is replaced by, now and then. */
const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(
    '',
    UNKNOWN,
    -1,
    1e308,
    '__proto__',
    '\0',
    '\ud800',
    'x'.repeat(10_000),
    [],
    {},
    null,
  ),
);
/** Mostly what it should be. */
const mostly = (...usual: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: odd });

interface Waiting {
  readonly workflowId: string;
  readonly jobId: string;
  readonly stepId: string;
}

/** A run whose job waits for an environment. */
async function waitingRun(): Promise<Waiting> {
  const steps = [sh('true', { id: 'a' }), { uses: 'nobody/knows@v1' }, sh('false')];
  const workflowId = await start(server, oneJob('told', steps, { 'runs-on': 'nowhere' }));
  const [command] = await eventually('the first command', async () => {
    const commands = only(await allEvents(server, workflowId), 'ExecutionCommand');
    return commands.length > 0 ? commands : null;
  });
  if (command === undefined) throw new Error('No command.');
  const { job_id: jobId, step_id: stepId } = command.metadata;
  return { workflowId, jobId, stepId: String(stepId ?? UNKNOWN) };
}

/** Publishes a channel handler's offer, so that the steps of the job are handed out. */
async function offerEnvironment({ workflowId, jobId, stepId }: Waiting): Promise<void> {
  const ids = { workflow_id: workflowId, job_id: jobId, step_id: stepId, channel_id: UNKNOWN };
  const metadata = { name: 'told', ...ids, step_sequence_id: -1, channel_os: 'linux' };
  const head = { apiVersion: 'opentestfactory.org/v1', kind: 'ExecutionResult' };
  await server.call('POST', '/publications', { body: { ...head, metadata, status: 0 } });
  await eventually('the first step', async () => {
    const commands = only(await allEvents(server, workflowId), 'ExecutionCommand');
    return commands.some((command) => command.metadata.step_sequence_id >= 0);
  });
}

const KINDS = [
  ...['ExecutionResult', 'ExecutionResult', 'ExecutionResult', 'ProviderResult', 'ExecutionError'],
  ...['Notification', 'WorkflowResult', 'WorkflowCancellation'],
];

function eventAbout({ workflowId, jobId, stepId }: Waiting): fc.Arbitrary<unknown> {
  const attachment = `/tmp/${UNKNOWN}_report.xml`;
  const line = mostly(
    'text',
    '::set-output name=a::b',
    '::attach type=x::y',
    '::error::',
    '\u001b[31m',
  );
  return fc.record({
    apiVersion: mostly('opentestfactory.org/v1', 'opentestfactory.org/v1alpha1'),
    kind: fc.constantFrom(...KINDS),
    metadata: fc.record({
      name: mostly('told'),
      workflow_id: fc.constant(workflowId),
      job_id: mostly(jobId),
      step_id: mostly(stepId, 'a', UNKNOWN),
      job_origin: mostly([], [jobId]),
      step_origin: mostly([], [stepId]),
      step_sequence_id: mostly(-1, -2, 0, 1, 2, 1e9),
      channel_id: mostly(UNKNOWN),
      channel_os: mostly('linux', 'windows'),
      channel_temp: mostly('/tmp'),
      attachments: mostly({}, { [attachment]: { uuid: UNKNOWN, type: 'application/xml' } }),
    }),
    status: mostly(0, 1, 255, -1),
    logs: fc.array(line, { maxLength: 4 }),
    outputs: mostly({}, { a: 'b', __b: '' }),
    attachments: mostly([], [attachment]),
    variables: mostly({}, { A: 'b' }),
    steps: mostly([], [{ run: 'true' }], [{ uses: 'x/y@v1' }, { run: 'x', if: '(((' }]),
    details: mostly({ error: 'x' }, {}),
    spec: fc.record({
      logs: fc.array(line, { maxLength: 4 }),
      worker: mostly({ worker_id: 'w', status: 'setup' }, { worker_id: 'w', status: 'teardown' }),
      testResults: mostly(
        [],
        [{ id: 'a', name: 'b#c', status: 'SUCCESS', duration: 1, attachment_origin: UNKNOWN }],
      ),
      channelHandler: mostly({
        channelhandler_id: UNKNOWN,
        channels: [{ metadata: { name: 'x' } }],
      }),
    }),
  });
}

test('events about a run lead to no fault, and the run can be read', async () => {
  const one = await waitingRun();
  await offerEnvironment(one);
  const another = await waitingRun();
  const events = fc.array(fc.oneof(eventAbout(one), eventAbout(another)), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(events, async (list) => {
      for (const body of list) await expectAnswer('POST', '/publications', { body });
    }),
    runs(40),
  );
  for (const { workflowId } of [one, another]) {
    for (const part of ['status', 'workers', 'logs', 'datasources/jobs', 'datasources/testcases']) {
      await expectAnswer('GET', `/workflows/${workflowId}/${part}`);
    }
    await expectAnswer('DELETE', `/workflows/${workflowId}`);
  }
  await expectAnswer('GET', '/channels');
});

test.each<[string, object]>([
  ['an existing agent', {}],
  ['an agent of ours', { protocol: 'tutti.v1', workspace_dir: '/tmp' }],
])('%s may post what it likes', async (_name, spec) => {
  const registered = await server.call('POST', '/agents', {
    body: {
      apiVersion: 'opentestfactory.org/v1alpha1',
      kind: 'AgentRegistration',
      metadata: { name: 'fuzz', version: '2.0' },
      spec: { tags: ['linux', 'fuzz'], ...spec },
    },
  });
  const path = `/agents/${detailsOf(registered).uuid}`;
  const workflowId = await start(
    server,
    oneJob('posted', [sh('true'), sh('true')], { 'runs-on': ['linux', 'fuzz'] }),
  );
  const commandId = mostly(`${UNKNOWN}/0`, `${UNKNOWN}/1`);
  const post = fc.record(
    {
      command_id: commandId,
      sequence: mostly(0, 1, 2),
      output: mostly([], [{ stream: 'stdout', lines: ['x'] }], [{ stream: 'x', lines: 'y' }]),
      stdout: mostly([], ['x'], 'text'),
      stderr: mostly([], ['x']),
      exit_status: mostly(0, 1, null),
      variables: mostly(null, ['A=b'], ['=']),
      details: mostly({ error: 'x' }, {}),
    },
    { requiredKeys: [] },
  );
  const file = fc.constantFrom('application/octet-stream', 'application/json', 'text/plain', '');
  await fc.assert(
    fc.asyncProperty(post, file, odd, async (body, type, content) => {
      await expectAnswer('GET', path);
      await expectAnswer('POST', path, { body: JSON.stringify(body) });
      await expectAnswer('PUT', `${path}/files/${UNKNOWN}`, {
        headers: { 'content-type': type },
        body: String(JSON.stringify(content)),
      });
      await expectAnswer('GET', `${path}/files/${UNKNOWN}`);
    }),
    runs(60),
  );
  await expectAnswer('GET', `/workflows/${workflowId}/logs`);
  await expectAnswer('DELETE', `/workflows/${workflowId}`);
  await expectAnswer('DELETE', path);
});
