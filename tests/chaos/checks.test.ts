/** The checks of `npm run chaos` find what they are for: each is given something that is wrong. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunEvent } from '@tutti/manifests';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  deliveryProblems,
  repetitionProblems,
  surplusProblems,
} from './program/delivery-checks.ts';
import {
  type Circumstances,
  expectationProblems,
  lossOf,
  lostAgentOf,
} from './program/expectation.ts';
import { type AgentRecord, Happenings } from './program/happenings.ts';
import type { Delivery } from './program/inboxes.ts';
import { createPostRecorder } from './program/post-recorder.ts';
import type { JobSpec, RunSpec, StepSpec } from './program/run-spec.ts';
import { hasOtherClock, timesOfRun } from './program/run-times.ts';
import { type Ledger, readLedger } from './program/side-effects.ts';
import { executionsOf, type RunRecord } from './run-record.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tutti-checks-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function ledgerOf(...lines: readonly string[]): Promise<Ledger> {
  const file = join(folder, 'ledger');
  await writeFile(file, lines.map((line) => `${line}\n`).join(''));
  return readLedger(file);
}

const STEP: StepSpec = {
  ...{ number: 0, kind: 'succeeds', when: 'success', continuesOnError: false },
  ...{ lines: 1, pauseMs: 0, attaches: false, file: null },
};
const JOB: JobSpec = {
  ...{ name: 'job0', needs: [], when: 'success', color: null, values: null },
  ...{ continuesOnError: false, timesOut: false, gives: true, steps: [STEP] },
};
const LATER: JobSpec = { ...JOB, name: 'job1', needs: ['job0'], gives: false };
const SPEC: RunSpec = { index: 0, name: 'chaos 0', file: null, jobs: [JOB, LATER] };

/** The events of one step of a run: its command and its result. */
function step(mark: string, status: number, logs: readonly string[] = []): readonly RunEvent[] {
  const metadata = { job_id: `id of ${mark}`, step_sequence_id: 0 };
  const events: unknown = [
    { kind: 'ExecutionCommand', metadata, scripts: [`# traces ${mark} 1 false`] },
    { kind: 'ExecutionResult', metadata, status, logs },
  ];
  return events as readonly RunEvent[];
}

const run = (status: string, ...events: readonly (readonly RunEvent[])[]): RunRecord => ({
  ...{ id: 'run', status, texts: [] },
  events: events.flat(),
});

const circumstances = (ledger: Ledger, more: Partial<Circumstances> = {}): Circumstances => ({
  ledger,
  isExcused: () => false,
  mayFailAnyhow: () => false,
  hadNoDisk: () => false,
  mayStopEarly: false,
  mayOverrun: () => false,
  mayBeCanceled: false,
  mustBeCanceled: false,
  ...more,
});

const GOOD = run('DONE', step('r0.job0.0', 0), step('r0.job1.0', 0));
const GOOD_LEDGER = [
  'START r0.job0.0',
  'END r0.job0.0',
  'START r0.job1.0',
  'INFO r0.job1.0 result.job0=success',
  'INFO r0.job1.0 output.job0=r0.job0.0',
  'END r0.job1.0',
];

test('a run that did what it had to do has no problem', async () => {
  const ledger = await ledgerOf(...GOOD_LEDGER);
  expect(expectationProblems(GOOD, SPEC, circumstances(ledger))).toEqual([]);
});

test.each([
  ['a step that never ran', run('DONE', step('r0.job0.0', 0)), 'step r0.job1.0 never ran'],
  [
    'a step of a job that is not due',
    run(
      'FAILED',
      step('r0.job0.0', 143, ['Agent "a" (1) was lost: it is gone.']),
      step('r0.job1.0', 0),
    ),
    'step r0.job1.0 was commanded, and its job is not due',
  ],
  [
    'a step that failed without a reason',
    run('FAILED', step('r0.job0.0', 1, ['oops'])),
    'step r0.job0.0 failed for no reason that is told (1): oops',
  ],
  [
    'a step that was lost though nothing happened',
    run('FAILED', step('r0.job0.0', 143, ['Agent "a" (1) was lost: it is gone.'])),
    'step r0.job0.0 was lost, and nothing was done to its agent (143): Agent "a" (1) was lost: it is gone.',
  ],
  [
    'a run with another end than its jobs have',
    run('FAILED', step('r0.job0.0', 0), step('r0.job1.0', 0)),
    'it is FAILED and should be DONE',
  ],
])('%s is found', async (_, record, problem) => {
  const ledger = await ledgerOf(...GOOD_LEDGER);
  expect(expectationProblems(record, SPEC, circumstances(ledger))).toContain(problem);
});

test('a step of an existing agent may fail anyhow where something was done, and not elsewhere', async () => {
  const ledger = await ledgerOf(...GOOD_LEDGER);
  const failed = run('FAILED', step('r0.job0.0', 127, ['not found']));
  const problemsWhere = (mayFail: boolean) =>
    expectationProblems(failed, SPEC, circumstances(ledger, { mayFailAnyhow: () => mayFail }));
  expect(problemsWhere(true)).toEqual([]);
  expect(problemsWhere(false)).toEqual([
    'step r0.job0.0 failed for no reason that is told (127): not found',
  ]);
});

test('a cancellation that nobody asked for is found, and one that was lost', async () => {
  const ledger = await ledgerOf(...GOOD_LEDGER);
  const end: unknown = [
    { kind: 'WorkflowCanceled', details: { status: 'cancelled', reason: 'Why.' } },
  ];
  const canceled = run('FAILED', end as readonly RunEvent[]);
  expect(expectationProblems(canceled, SPEC, circumstances(ledger))).toEqual([
    'it was cancelled, and nobody asked for it: Why.',
  ]);
  const all = circumstances(ledger, { mayBeCanceled: true, mustBeCanceled: true });
  expect(expectationProblems(canceled, SPEC, all)).toEqual([]);
  expect(expectationProblems(GOOD, SPEC, all)).toEqual([
    'its cancellation was answered with 200 and lost',
  ]);
});

test('a job that ran before one that it needs is found, and one that read something else', async () => {
  const ledger = await ledgerOf(
    'START r0.job1.0',
    'INFO r0.job1.0 result.job0=failure',
    'INFO r0.job1.0 output.job0=other',
    'START r0.job0.0',
  );
  expect(expectationProblems(GOOD, SPEC, circumstances(ledger))).toEqual([
    'step r0.job1.0 read that job0 is failure, and it is success',
    'step r0.job0.0 ran after r0.job1.0',
    'step r0.job1.0 read other of job0, and it gave r0.job0.0',
  ]);
});

const delivery = (number: number, mode: Delivery['mode'] = 'well'): Delivery => ({
  ...{ publicationId: `p${number}`, mode, atMs: 0 },
  event: { kind: 'ChaosEvent', number },
});

test('what an inbox never took is found, and what came in another order', () => {
  const owed = { published: [1, 2, 3], endedRuns: ['run'] };
  const deliveries = [delivery(2), delivery(1), delivery(3, 'unavailable'), delivery(3, 'error')];
  expect(deliveryProblems({ deliveries }, owed)).toEqual([
    'publication 3 was confirmed and not delivered',
    'the end of run run was not delivered',
    'publication 2 came before an earlier one',
  ]);
});

test('an inbox that answered 500 four times had what it was sent', () => {
  const deliveries = Array.from({ length: 4 }, () => delivery(1, 'error'));
  const owed = { published: [1], endedRuns: [] };
  expect(deliveryProblems({ deliveries: deliveries.slice(1) }, owed)).toHaveLength(1);
  expect(deliveryProblems({ deliveries }, owed)).toEqual([]);
});

test('what was taken may come again only if something kept the server from noting that', () => {
  const happenings = new Happenings();
  happenings.servers.push({ fromMs: 0, toMs: 99_000, clocks: [{ fromMs: 0, offsetMs: 0 }] });
  const taken = { ...delivery(1), atMs: 50_000 };
  const refused = { ...delivery(2, 'error'), atMs: 50_000 };
  const again = [taken, refused, ...[taken, refused].map((each) => ({ ...each, atMs: 60_000 }))];
  const problem = 'publication p1 was taken and came again: {"kind":"ChaosEvent","number":1}';
  expect(repetitionProblems({ deliveries: again }, happenings)).toEqual([problem]);
  happenings.serverPauses.push({ fromMs: 40_000, toMs: 45_000 });
  expect(repetitionProblems({ deliveries: again }, happenings)).toEqual([]);
  happenings.serverPauses.length = 0;
  happenings.newOwnersAtMs.push(61_000);
  expect(repetitionProblems({ deliveries: again }, happenings)).toEqual([problem]);
  happenings.newOwnersAtMs.push(55_000);
  expect(repetitionProblems({ deliveries: again }, happenings)).toEqual([]);
});

test('a publication that changes is found', () => {
  const happenings = new Happenings();
  const deliveries = [delivery(1, 'hang'), { ...delivery(2), publicationId: 'p1' }];
  expect(repetitionProblems({ deliveries }, happenings)).toEqual([
    'publication p1 was {"kind":"ChaosEvent","number":1} and is {"kind":"ChaosEvent","number":2}',
  ]);
});

test('what is published twice is found, and what nobody asked for', () => {
  const deliveries = [delivery(1), { ...delivery(1), publicationId: 'p2' }, delivery(7)];
  expect(surplusProblems({ deliveries }, { publications: 7, runs: [] })).toEqual([
    'ChaosEvent 1 is published twice',
    'ChaosEvent 7 came, and nobody asked for it',
  ]);
});

test('times of a server whose clock was wrong are told as true ones', () => {
  const happenings = new Happenings();
  const server = {
    fromMs: 10_000,
    toMs: 20_000,
    clocks: [{ fromMs: 10_000, offsetMs: 3_600_000 }],
  };
  happenings.servers.push(server, {
    fromMs: 20_000,
    toMs: 30_000,
    clocks: [{ fromMs: 20_000, offsetMs: 0 }],
  });
  expect(happenings.trueTimes('1970-01-01T01:00:15.000000')).toEqual([15_000]);
  expect(happenings.trueTimes('1970-01-01T00:00:25.000000')).toEqual([25_000]);
  expect(happenings.trueTimes('1970-01-01T00:00:15.000000')).toEqual([]);
  expect(happenings.hasClockJumped(15_000, 25_000)).toBe(true);
  expect(happenings.hasClockJumped(21_000, 25_000)).toBe(false);
});

test('a time that two servers may have told is that which fits the log', () => {
  const happenings = new Happenings();
  happenings.servers.push(
    { fromMs: 0, toMs: 10_000, clocks: [{ fromMs: 0, offsetMs: 60_000 }] },
    { fromMs: 60_000, toMs: 80_000, clocks: [{ fromMs: 60_000, offsetMs: 0 }] },
  );
  const at = (text: string) => ({ metadata: { creationTimestamp: `1970-01-01T00:01:${text}` } });
  const events: unknown = [at('01.000000'), at('15.000000'), at('02.000000'), at('50.000000')];
  const record = run('DONE', events as readonly RunEvent[]);
  const possible = ({ metadata }: RunEvent) => happenings.trueTimes(metadata.creationTimestamp);
  const { times, problems } = timesOfRun(record, possible, 60_500);
  expect([...times.values()]).toEqual([61_000, 75_000]);
  expect(problems).toEqual([
    'its event 2 is older than one before it',
    'its event 3 has no true time',
  ]);
});

test('a job whose events are of two clocks has deadlines that come late or early', () => {
  const at = (job: string, seconds: number) => ({
    metadata: { job_id: job, creationTimestamp: `1970-01-01T00:02:${seconds}.000000` },
  });
  const events: unknown = [at('same', 10), at('other', 10), at('same', 11), at('other', 41)];
  const commits = [130_000, 130_010, 131_000, 131_500];
  const record = run('DONE', events as readonly RunEvent[]);
  const times = timesOfRun(record, (_, place) => commits.slice(place, place + 1), 0);
  expect(times.problems).toEqual([]);
  expect([hasOtherClock(times, 'same'), hasOtherClock(times, 'other')]).toEqual([false, true]);
});

test('a clock that is set under a server gives its events two possible times', () => {
  const happenings = new Happenings();
  const clocks = [
    { fromMs: 0, offsetMs: 0 },
    { fromMs: 20_000, offsetMs: 600_000 },
  ];
  happenings.servers.push({ fromMs: 0, toMs: 30_000, clocks });
  const shown = (ms: number) => new Date(ms).toISOString().slice(0, -1);
  expect(happenings.trueTimes(shown(10_000))).toEqual([10_000]);
  expect(happenings.trueTimes(shown(625_000))).toEqual([25_000]);
  // Before the clock was set.
  expect(happenings.trueTimes(shown(610_000))).toEqual([]);
  expect([happenings.hasClockJumped(0, 19_000), happenings.hasClockJumped(0, 21_000)]).toEqual([
    false,
    true,
  ]);
});

test('posts are found in what a connection carries, however it is cut', () => {
  const get = 'GET /agents/1 HTTP/1.1\r\nhost: h\r\n\r\n';
  const post = 'POST /agents/1 HTTP/1.1\r\ncontent-length: 4\r\n\r\nbody';
  const chunked = 'POST /agents/1 HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n';
  const found: string[] = [];
  const recorder = createPostRecorder((bytes) => found.push(bytes.toString()));
  for (const char of get + post + get + post + chunked + post) recorder.take(Buffer.from(char));
  expect(found).toEqual([post, post]);
});

describe('a step that could not run since the environment of its job was lost before', () => {
  const LOST = ['Agent "a" (1) was lost: it is gone.'];
  const LOST_BEFORE = ['The step could not run: the environment of its job was lost before.'];
  const lossIn = (...steps: readonly (readonly RunEvent[])[]) => {
    const executions = executionsOf(run('FAILED', ...steps));
    return executions.map((execution) => lossOf(executions, execution).mark);
  };
  const ofJob = (job: string, number: number, events: readonly RunEvent[]): readonly RunEvent[] =>
    events.map((event) => ({
      ...event,
      metadata: { ...event.metadata, job_id: job, step_sequence_id: number },
    })) as readonly RunEvent[];

  test('is lost with the one before it', () => {
    const first = ofJob('job', 0, step('r0.job0.0', 1, LOST));
    const second = ofJob('job', 1, step('r0.job0.1', 1, LOST_BEFORE));
    expect(lossIn(first, second)).toEqual(['r0.job0.0', 'r0.job0.0']);
  });

  test('has nothing to do with the losses of other jobs', () => {
    const first = ofJob('other', 0, step('r0.job0.0', 1, LOST));
    const second = ofJob('job', 0, step('r0.job1.0', 1, LOST_BEFORE));
    expect(lossIn(first, second)).toEqual(['r0.job0.0', 'r0.job1.0']);
  });
});

test('a lost step is judged by the process whose slot its loss names, and by no other', () => {
  const happenings = new Happenings();
  const record = (name: string, ...registeredAs: readonly string[]): AgentRecord => ({
    ...{ name, registeredAs, workspaceDir: '', isExisting: false, outages: [], cutsAtMs: [] },
    ...{ killedAtMs: null, hasStopped: false },
  });
  const slots = record('a0.1', 'a0.1-1', 'a0.1-2');
  for (const each of [slots, record('a1.1', 'a1.1')]) happenings.agents.set(each.name, each);
  const [lost] = executionsOf(
    run('FAILED', step('r0.job0.0', 143, ['Agent "a0.1-2" (1) was lost: it is gone.'])),
  );
  if (lost === undefined) throw new Error('There is one.');
  expect(happenings.agentRegisteredAs(lostAgentOf(lost) ?? '')).toBe(slots);
  expect(happenings.agentRegisteredAs('a1.1-1')).toBeNull();
  const [other] = executionsOf(run('FAILED', step('r0.job0.0', 1, ['oops'])));
  expect(other && lostAgentOf(other)).toBeNull();
});
