/** Any events in any order. `evolve` takes them all and does not change its arguments. `decide` comes to an end on them. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import { type RunEvent, type RunEventKind, STEP_SEQUENCE } from '@tutti/manifests';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextDeadline } from './deadlines.ts';
import { decide } from './decide.ts';
import { evolve } from './evolve.ts';
import { emptyRun, isEnded, isLive, type Run } from './run.ts';
import { deepFreeze } from './testing/deep-freeze.ts';
import { fingerprint } from './testing/fingerprint.ts';
import { given } from './testing/given.ts';
import {
  answer,
  type Happening,
  job,
  jobNotification,
  notification,
  offer,
  released,
  result,
  workflow,
} from './testing/inputs.ts';

const AT = '2026-01-01T12:00:00.000000';

const id = fc.constantFrom('id-1', 'id-2', 'call', 's0', 's1', 'other');
const ids = fc.array(id, { maxLength: 3 });
const outcome = fc.constantFrom('success', 'failure', 'cancelled', 'skipped', 'odd', 7);
const texts = fc.dictionary(id, fc.constantFrom('', 'text', '${{ oops }}'), { maxKeys: 2 });
const sequence = fc.oneof(
  fc.constantFrom(...Object.values(STEP_SEQUENCE)),
  fc.integer({ min: 0, max: 3 }),
);

const step = fc.oneof(
  fc.record({
    id,
    run: fc.constantFrom('x', '${{ oops }}'),
    if: fc.constantFrom('always()', 'failure()'),
  }),
  fc.record({ id, uses: fc.constant('a/b@v1') }),
);
const jobs = fc.dictionary(
  fc.constantFrom('a', 'b', 'c'),
  fc.record(
    {
      steps: fc.array(step, { minLength: 1, maxLength: 3 }),
      needs: fc.constantFrom('a', 'b', ['a', 'b']),
      if: fc.constantFrom('always()', 'oops', 'failure()'),
    },
    { requiredKeys: ['steps'] },
  ),
  { minKeys: 1 },
);

const hook = fc.oneof(
  fc.constantFrom(null, 3, {}, { name: 'h', events: [3], before: [] }),
  fc.record(
    {
      name: id,
      if: fc.constantFrom('always()', 'oops'),
      events: fc.array(
        fc.constantFrom({ channel: 'setup' }, { channel: 'teardown' }, { category: '_' }),
        { maxLength: 2 },
      ),
      before: fc.array(fc.oneof(step, fc.constant({ 'use-workspace': 'w' })), { maxLength: 2 }),
      after: fc.array(fc.oneof(step, fc.constant({ 'keep-workspace': true })), { maxLength: 2 }),
    },
    { requiredKeys: ['name', 'events'] },
  ),
);
const hooks = fc.oneof(fc.array(hook, { maxLength: 3 }), fc.constant('none'));

/** Entries of `metadata` of any kind, most of them there only sometimes. */
const metadata = fc.record(
  {
    name: fc.constantFrom('a', 'b', 'demo'),
    workflow_id: fc.constant('workflow-1'),
    namespace: fc.constant('default'),
    creationTimestamp: fc.constant(AT),
    job_id: id,
    job_origin: ids,
    step_id: id,
    step_origin: ids,
    step_sequence_id: sequence,
    channel_id: fc.constantFrom('channel-1', 'channel-2'),
    attachments: fc.constantFrom({ '/tmp/a_b_c': { uuid: 'file-1' } }),
    annotations: fc.constantFrom(
      {},
      { 'tutti.inputs': 3 },
      { 'example.org/hooks': 3 },
      { 'example.org/hooks': { channel: 'setup', 'use-workspace': 3 } },
    ),
    'tutti.hooks': fc.boolean(),
    'tutti.channel-hooks': hooks,
    'tutti.deadline-ms': fc.oneof(fc.integer(), fc.constant('soon')),
    'tutti.timeout-ms': fc.oneof(fc.integer({ min: 0 }), fc.constant(null)),
    'tutti.cause': fc.constantFrom('timeout', 'canceled', 'superseded'),
    'tutti.conclusion': outcome,
    'tutti.outputs': texts,
    'tutti.job': fc.constantFrom('a', 'b', 'nobody'),
  },
  {
    requiredKeys: [
      'name',
      'workflow_id',
      'namespace',
      'creationTimestamp',
      'job_id',
      'job_origin',
      'step_id',
      'step_origin',
      'step_sequence_id',
    ],
  },
);

const spec = fc.record(
  {
    logs: fc.constant(['line']),
    outcome,
    conclusion: outcome,
    worker: fc.record({ worker_id: id, status: fc.constantFrom('setup', 'teardown') }),
    'tutti.step-ended': fc.constantFrom('true', true, false, 3),
    'tutti.use-workspace': fc.constantFrom('w', 3),
    'tutti.keep-workspace': fc.constantFrom('true', 'false', true, 3),
    'tutti.job': fc.constantFrom('a', 'b', 'nobody', 3),
    'tutti.halted': fc.constantFrom('', 'a', 'nobody'),
    'tutti.failed': fc.constantFrom('a/b', 'nobody/x', 3),
    'tutti.spared': fc.constantFrom('a', 'b', 3),
    'tutti.granted': fc.constantFrom('', 'a', 'nobody'),
    'tutti.timeout': fc.constantFrom('job', 'step'),
    'tutti.superseded': fc.constantFrom({ group: 'lab', by: 'workflow-9' }, { group: 3 }, 'lab'),
    'tutti.waiting': fc.constant({ reason: 'max-parallel', limit: 1, running: 1 }),
  },
  { requiredKeys: [] },
);

const bodies: Record<RunEventKind, fc.Arbitrary<object>> = {
  Workflow: fc.record({ jobs, hooks }, { requiredKeys: ['jobs'] }),
  ExecutionCommand: fc.record({ 'runs-on': fc.constant(['linux']), scripts: fc.constant(['x']) }),
  ExecutionResult: fc.record(
    { status: fc.integer(), outputs: texts, variables: texts },
    { requiredKeys: ['status'] },
  ),
  ProviderCommand: fc.record({
    step: fc.record({ id, uses: id, variables: texts }),
    'runs-on': ids,
    contexts: texts,
  }),
  ProviderResult: fc.record(
    { steps: fc.array(step, { maxLength: 3 }), outputs: texts, hooks },
    { requiredKeys: ['steps'] },
  ),
  TestsCommand: fc.record({ uses: id, attachments: fc.constant([]), tests: fc.constant({}) }),
  TestsResult: fc.record({
    verdict: fc.constantFrom('success', 'failure', 'retry'),
    retried: ids,
    selection: ids,
  }),
  GeneratorCommand: fc.record({ generator: id }),
  GeneratorResult: fc.record({ jobs }),
  ExecutionError: fc.record({ details: fc.record({ error: id }) }),
  Notification: fc.record({ spec }),
  WorkflowResult: fc.record({ attachments: ids }),
  WorkflowCancellation: fc.record({ details: texts }, { requiredKeys: [] }),
  WorkflowCompleted: fc.constant({}),
  WorkflowCanceled: fc.record({ details: texts }),
};

function eventsOf(kinds: readonly RunEventKind[]): fc.Arbitrary<RunEvent> {
  const ofKind = (kind: RunEventKind) =>
    fc
      .tuple(metadata, bodies[kind])
      .map(([head, body]) => ({ apiVersion: 'example.org/v1', kind, metadata: head, ...body }));
  return fc.oneof(...kinds.map(ofKind)).map((event) => event as unknown as RunEvent);
}

const anyKind = Object.keys(bodies) as RunEventKind[];
const fromOutside = anyKind.filter(
  (kind) =>
    ![
      'Workflow',
      'ExecutionCommand',
      'ProviderCommand',
      'WorkflowCompleted',
      'WorkflowCanceled',
    ].includes(kind),
);

/** Runs at interesting places to go on from. */
const places: readonly Run[] = [
  emptyRun,
  given(workflow({ a: job(['x']), b: job(['y'], { needs: 'a' }) })).run,
  given(workflow({ a: job(['x', 'y']) }), offer('a')).run,
  given(workflow({ a: job([{ id: 'call', uses: 'a/b@v1' }]) }), offer('a')).run,
  given(
    workflow({ a: job([{ id: 'call', uses: 'a/b@v1' }]) }),
    offer('a'),
    answer('a', [
      { id: 's0', run: 'x' },
      { id: 'call', run: 'y' },
    ]),
  ).run,
  given(workflow({ a: job(['x']) }), offer('a'), result('a')).run,
  given(workflow({ a: job(['x']) }), offer('a'), result('a'), released('a')).run,
].map(deepFreeze);

describe('whatever the events are', () => {
  test('evolve never throws, never changes what it was given, and always gives the same', () => {
    const story = fc.tuple(
      fc.constantFrom(...places),
      fc.array(eventsOf(anyKind), { maxLength: 12 }),
    );
    fc.assert(
      fc.property(story, ([place, events]) => {
        let run = place;
        for (const event of events) {
          const next = evolve(run, deepFreeze(event));
          expect(fingerprint(evolve(run, event))).toBe(fingerprint(next));
          run = deepFreeze(next);
          nextDeadline(run);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('decide never throws, comes to an end, and gives the run that its events fold to', () => {
    const story = fc.tuple(
      fc.constantFrom(...places),
      fc.array(eventsOf([...fromOutside, 'Workflow']), { maxLength: 12 }),
    );
    fc.assert(
      fc.property(story, ([place, events]) => {
        let run = place;
        let drawn = 0;
        for (const event of events) {
          const context = {
            at: AT as RunEvent['metadata']['creationTimestamp'],
            newId: () => `new-${++drawn}`,
          };
          const decision = decide(run, { type: 'event', event: deepFreeze(event) }, context);
          if (decision.outcome === 'refused') continue;
          expect(fingerprint(decision.events.reduce(evolve, run))).toBe(fingerprint(decision.run));
          if (isEnded(run)) expect(decision.run.phase).toBe(run.phase);
          run = deepFreeze(decision.run);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('notifications of others', () => {
  const running = [workflow({ a: job(['x', 'y']) }), offer('a')];
  const { run } = given(...running);

  test.each([
    [
      'tell how a step went',
      { step_id: 's0' as never, step_origin: [] },
      { outcome: 'failure', conclusion: 'failure' },
    ],
    ['tell how a job went', {}, { conclusion: 'failure' }],
    ['have output', {}, { logs: ['line'] }],
    ['find test results', {}, { testResults: [] }],
  ])('that %s change nothing', (_what, head, content) => {
    const after = given(...running).when(jobNotification('a', head, content)).run;
    expect(fingerprint(after)).toBe(fingerprint(run));
  });

  test('say why a job waits, while it waits', () => {
    const waiting = {
      reason: 'busy',
      tags: [],
      namespace: 'default',
      environments: [],
      matching: 1,
    } as const;
    const asked = workflow({ a: job(['x']) });
    const reason = (...happened: readonly Happening[]) =>
      given(...happened).run.jobs.get('a')?.waiting;
    const actual = jobNotification('a', {}, { 'tutti.waiting': waiting });
    expect(reason(asked, actual)).toEqual(waiting);
    expect(reason(asked, actual, offer('a'))).toBeNull();
    expect(reason(asked, offer('a'), actual)).toBeNull();
  });

  test('about a job that is unknown are about nothing', () => {
    const waiting = { reason: 'max-parallel', limit: 1, running: 1 } as const;
    const about = notification({ job_id: 'other' as never }, { 'tutti.waiting': waiting });
    expect(given(workflow({ a: job(['x']) }), about).run.waiting).toBeNull();
  });
});

describe('the workers of a run', () => {
  const REPORT = 'application/vnd.opentestfactory.junit-surefire+xml';
  const attached = (...types: readonly (string | undefined)[]) => ({
    metadata: {
      attachments: Object.fromEntries(
        types.map((type, index) => [
          `/tmp/file-${index}`,
          { uuid: `file-${index}`, ...(type === undefined ? {} : { type }) },
        ]),
      ),
    },
  });
  const begin = [workflow({ a: job(['x']) }), offer('a')];
  const says = (status: 'setup' | 'teardown', file: string) =>
    notification({}, { worker: { worker_id: `interpreter-surefire-${file}`, status } });
  const workers = (...happened: readonly Happening[]) => [...given(...happened).run.workers];

  test('include the reader of each test report from the result on', () => {
    const reports = attached(REPORT, undefined, 'text/plain', REPORT.replace('junit', 'cypress'));
    expect(workers(...begin, result('a', 0, reports))).toEqual([
      'interpreter-surefire-file-0',
      'interpreter-surefire-file-3',
    ]);
  });

  test('are the same ones when the reader sets itself up, and none when it is done', () => {
    const reported = [...begin, result('a', 0, attached(REPORT))];
    const reader = ['interpreter-surefire-file-0'];
    expect(workers(...reported, says('setup', 'file-0'))).toEqual(reader);
    expect(workers(...reported, says('setup', 'file-0'), says('teardown', 'file-0'))).toEqual([]);
  });

  test('keep a run that is over live, but not from being over', () => {
    const over = [...begin, result('a', 0, attached(REPORT)), released('a')];
    expect(given(...over).run.phase).toBe('DONE');
    expect(isLive(given(...over).run)).toBe(true);
    expect(isLive(given(...over, says('teardown', 'file-0')).run)).toBe(false);
  });

  test('do not change with files that are no reports', () => {
    const { run } = given(...begin);
    const after = given(...begin).when(result('a', 0, attached('text/plain'))).run;
    expect(after.workers).toBe(run.workers);
  });
});
