// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Which events a run takes, phase by phase. */
import { apiVersionOf, type RunEvent } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { WARNING_LENGTH_MAX } from '../facts/decode.ts';
import { given } from './testing/given.ts';
import {
  answer,
  cancel,
  executionError,
  grant,
  type Happening,
  hold,
  job,
  minute,
  notification,
  offer,
  otherEvent,
  publish,
  released,
  report,
  result,
  workflow,
} from './testing/inputs.ts';

const begin = workflow({ build: job(['make', { uses: 'a/b@v1', id: 'call' }]) });

/** Events that lead to each state. */
const states = {
  unknown: [],
  requested: [begin],
  running: [begin, offer('build')],
  calling: [begin, offer('build'), result('build')],
  releasing: [begin, offer('build'), result('build', 1)],
  done: [begin, offer('build'), result('build'), answer('build', []), released('build')],
  failed: [begin, cancel('enough')],
} as const satisfies Record<string, readonly Happening[]>;

type State = keyof typeof states;
const ALL = Object.keys(states) as State[];

const fakeOffer = offer('build');
const happenings: readonly {
  what: string;
  happening: Happening;
  accepted: readonly State[];
}[] = [
  { what: 'Workflow', happening: begin, accepted: ['unknown'] },
  { what: 'Notification', happening: notification({}, {}), accepted: known() },
  { what: 'WorkflowResult', happening: report, accepted: known() },
  { what: 'an event of another kind', happening: otherEvent, accepted: known() },
  { what: 'WorkflowCancellation', happening: cancel(), accepted: live() },
  { what: 'ExecutionError', happening: executionError('no'), accepted: live() },
  { what: 'an offer', happening: fakeOffer, accepted: ['requested'] },
  { what: 'a result', happening: result('build'), accepted: ['running'] },
  { what: 'the answer of a provider', happening: answer('build', []), accepted: ['calling'] },
  { what: 'the end of a release', happening: released('build'), accepted: ['releasing'] },
];

test('the warnings about a workflow are the first lines of its log, and not among its metadata', () => {
  const texts = ['there is no input "x".', 'one\nmore.', 'x'.repeat(WARNING_LENGTH_MAX + 1)];
  const LONG = `WARNING,${'x'.repeat(WARNING_LENGTH_MAX - 1)}…`;
  const settings = { strategy: { 'max-parallel': '${{ 2 }}' } };
  for (const more of [{}, settings]) {
    const metadata = { 'tutti.warnings': texts };
    const { log } = given(workflow({ a: job(['x']) }, { ...more, metadata }));
    expect(log.slice(0, 3).map(({ kind }) => kind)).toEqual([
      'Workflow',
      'Notification',
      'ExecutionCommand',
    ]);
    expect(Object.keys(log[0]?.metadata ?? {})).not.toContain('tutti.warnings');
    expect(log[1]).toMatchObject({
      metadata: { name: 'group notification' },
      spec: { logs: ['WARNING,there is no input "x".', 'WARNING,one\\u{a}more.', LONG] },
    });
  }
});

function known(): readonly State[] {
  return ALL.filter((state) => state !== 'unknown');
}

function live(): readonly State[] {
  return known().filter((state) => state !== 'done' && state !== 'failed');
}

describe('a run takes', () => {
  const rows = happenings.flatMap(({ what, happening, accepted }) =>
    ALL.map((state) => ({ what, state, happening, isAccepted: accepted.includes(state) })),
  );

  test.each(rows.filter(({ state }) => state !== 'unknown'))(
    '$what when it is $state: $isAccepted',
    ({ state, happening, isAccepted }) => {
      const { decision } = given(...states[state]).when(happening);
      expect(decision.outcome).toBe(isAccepted ? 'accepted' : 'refused');
    },
  );

  test.each([cancel(), executionError('no'), notification({}, {}), report, otherEvent])(
    'nothing before it began',
    (happening) => {
      given().when(happening).refuses('the run is unknown');
    },
  );
});

test.each(ALL.filter((state) => state !== 'unknown'))(
  'an event of another kind is kept and changes nothing in a run that is %s',
  (state) => {
    const before = given(...states[state]).run;
    const { decision } = given(...states[state]).when(otherEvent);
    expect(decision).toMatchObject({ outcome: 'accepted', events: [{ kind: 'Custom' }] });
    expect(decision).toHaveProperty('run', before);
  },
);

describe('a refusal says why', () => {
  test.each<[string, readonly Happening[], Happening, string]>([
    ['the run begins twice', states.requested, begin, 'the run exists already'],
    [
      'a second offer comes',
      states.running,
      offer('build', 'channel-2'),
      'the job needs no environment (any more)',
    ],
    [
      'an offer is repeated',
      states.running,
      offer('build'),
      'the job needs no environment (any more)',
    ],
    [
      'an offer names no channel',
      states.requested,
      result('build', 0, { sequence: -1 }),
      'the offer names no channel',
    ],
    [
      'a result is of another channel',
      states.running,
      result('build', 0, { channel: 'other' }),
      'the channel is another one',
    ],
    [
      'a result is of a later command',
      states.running,
      result('build', 0, { sequence: 1 }),
      'no such command is waited for',
    ],
    [
      'a result comes twice',
      states.calling,
      result('build', 0, { sequence: 0 }),
      'no such command is waited for',
    ],
    [
      'the stopping of a command is answered',
      states.running,
      result('build', 0, { sequence: -4 }),
      'no such command is waited for',
    ],
    [
      'the channel is released unasked',
      states.running,
      released('build'),
      'the channel is not being released',
    ],
    [
      'another channel is released',
      states.releasing,
      released('build', { channel: 'other' }),
      'the channel is another one',
    ],
    [
      'a job is unknown',
      states.running,
      result('build', 0, { metadata: { job_id: 'other' } }),
      'the job is unknown',
    ],
    [
      'a provider was not asked',
      states.running,
      answer('build', []),
      'no provider is waited for at this step',
    ],
    [
      'a provider answers another step',
      states.calling,
      answer('build', [], { stepId: 's0' }),
      'no provider is waited for at this step',
    ],
    [
      'a provider answers a step elsewhere',
      states.calling,
      answer('build', [], { origin: ['other'] }),
      'no provider is waited for at this step',
    ],
    ['the run is over', states.done, result('build'), 'the run is over'],
    // Language 3.2: One of several offers is taken, and its channel is in all later commands.
  ])('when %s', (_what, happened, happening, why) => {
    given(...happened)
      .when(happening)
      .refuses(why);
  });

  test.each([
    'ExecutionCommand',
    'ProviderCommand',
    'WorkflowCompleted',
    'WorkflowCanceled',
  ] as const)('when others publish %s', (kind) => {
    const metadata = { name: 'x', workflow_id: 'workflow-1' };
    const forged = { kind, apiVersion: apiVersionOf('example.org', kind), metadata };
    given(...states.running)
      .when(publish(forged as unknown as RunEvent))
      .refuses('only the run itself makes such events');
  });
});

test('a result without a channel is taken, as channel handlers may leave it out', () => {
  given(...states.running)
    .when(result('build', 0, { channel: null }))
    .follows('result build 0: 0', 'call call a/b@v1');
});

test('an answer that does not say where its step is, is taken', () => {
  given(...states.calling)
    .when(answer('build', [], { origin: [] }))
    .follows('answer call: 0 steps', 'step call: success', 'release build: success');
});

test.each(['done', 'failed'] as const)('inputs of the server change nothing once %s', (state) => {
  for (const input of [minute(100_000), grant(null), grant('build'), hold(null), hold('build')]) {
    given(...states[state])
      .when(input)
      .follows();
  }
});

test('a run that is unknown has no groups', () => {
  given().when(hold(null)).follows();
  given().when(grant(null)).follows();
});

test.each(['done', 'failed'] as const)('reports and notifications follow the end: %s', (state) => {
  given(...states[state])
    .when(report)
    .follows('report demo');
  given(...states[state])
    .when(notification({ name: 'late' }, {}))
    .follows('note late');
});

test('workers keep a run in memory until they are done', () => {
  const worker = (status: 'setup' | 'teardown') =>
    notification({ name: 'worker' }, { worker: { worker_id: 'w1', status } });
  expect(given(...states.done, worker('setup')).run.workers).toEqual(new Set(['w1']));
  expect(given(...states.done, worker('setup'), worker('teardown')).run.workers.size).toBe(0);
});
