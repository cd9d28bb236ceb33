/** Content of events for their readers (specification part 6, wire facts part 2). */
import type { RunEvent } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { given } from './testing/given.ts';
import {
  answer,
  cancel,
  type Happening,
  job,
  minute,
  offer,
  released,
  result,
  workflow,
} from './testing/inputs.ts';

const steps = [
  { id: 'call', uses: 'tests/run@v1', 'timeout-minutes': 5, name: 'Tests' },
  { id: 'own', run: 'make', 'timeout-minutes': 5 },
];
const begin = workflow({ build: job(steps, { outputs: { o: 'v' }, 'runs-on': ['linux', 'x64'] }) });
const whole = [
  begin,
  offer('build'),
  answer('build', [{ id: 'inner', uses: 'c/d' }]),
  answer('build', [{ id: 'deep', run: 'x' }]),
  result('build', 0, { outputs: { o: 'v' } }),
  result('build'),
  released('build'),
];
const { log } = given(...whole);

const commands = log.filter((event) => event.kind === 'ExecutionCommand');
const calls = log.filter((event) => event.kind === 'ProviderCommand');

// Language 3.2: A request has name, namespace and tags of the job, tags of outer bundles, and no scripts.
test('every event has a name, the run, its namespace and a time', () => {
  for (const event of log) {
    expect(event.apiVersion).toMatch(/^(?:example\.org\/v1|v1$)/);
    expect(event.metadata).toMatchObject({
      name: expect.stringMatching(/./),
      workflow_id: 'workflow-1',
      namespace: 'default',
      creationTimestamp: '2026-01-01T12:00:00.000000',
    });
  }
});

// HTTP 6: Kinds of events have their versions.
// HTTP 9: Manifests and events have theirs.
test('versions are those of the specification', () => {
  const versions = new Map(log.map(({ kind, apiVersion }) => [kind, apiVersion]));
  expect(Object.fromEntries(versions)).toMatchObject({
    ExecutionCommand: 'example.org/v1beta1',
    ProviderCommand: 'example.org/v1beta1',
    Notification: 'v1',
    WorkflowCompleted: 'example.org/v1alpha1',
  });
});

// Language 3.1: -1 requests an environment, -2 frees it, steps count from 0.
// Language 3.2: A request has name, namespace and tags of the job, tags of outer bundles, and no scripts.
test('commands count from the request over the steps to the release', () => {
  expect(commands.map(({ metadata }) => metadata.step_sequence_id)).toEqual([-1, 0, 1, -2]);
  for (const { metadata, ...command } of commands) {
    expect(metadata).toMatchObject({
      name: 'build',
      job_id: 'id-1',
      job_origin: [],
      step_id: expect.any(String),
    });
    expect(command['runs-on']).toEqual(['linux', 'x64']);
    expect(Array.isArray(command.scripts)).toBe(true);
  }
  expect([commands.at(0)?.scripts, commands.at(-1)?.scripts]).toEqual([[], []]);
});

// Language 3.2: An offer names channel, system and script directory; later commands carry them.
// Language 3.2: One of several offers is taken, and its channel is in all later commands.
test('all commands but the request name the channel that was chosen', () => {
  const [request, ...others] = commands;
  expect(request?.metadata).not.toHaveProperty('channel_id');
  for (const { metadata } of others) {
    expect(metadata).toMatchObject({
      channel_id: 'channel-1',
      channel_os: 'linux',
      channel_temp: '/tmp',
      channelhandler_id: 'handler-1',
    });
  }
});

test('steps name the steps around them, outermost first', () => {
  const origins = [...commands, ...calls].map(({ metadata }) => [
    metadata.step_id,
    metadata.step_origin,
  ]);
  expect(origins).toContainEqual(['call', []]);
  expect(origins).toContainEqual(['inner', ['call']]);
  expect(origins).toContainEqual(['deep', ['call', 'inner']]);
  expect(origins).toContainEqual(['own', []]);
});

// Language 3.1: -4 stops the command that runs.
test('a command to stop names the step that it stops', () => {
  const stop = given(...whole.slice(0, 4), minute(5)).log.at(-1);
  expect(stop).toMatchObject({
    metadata: {
      step_sequence_id: -4,
      step_id: 'deep',
      step_origin: ['call', 'inner'],
      channel_id: 'channel-1',
    },
    scripts: [],
  });
});

test('provider commands can be subscribed to by what they use', () => {
  expect(calls.map(({ metadata }) => metadata.labels)).toEqual([
    {
      'example.org/category': 'run',
      'example.org/categoryPrefix': 'tests',
      'example.org/categoryVersion': 'v1',
    },
    {
      'example.org/category': 'd',
      'example.org/categoryPrefix': 'c',
      'example.org/categoryVersion': '_',
    },
  ]);
  expect(calls[0]).toMatchObject({
    metadata: { name: 'tests/run@v1', step_id: 'call', job_origin: [] },
    step: { id: 'call', name: 'Tests', uses: 'tests/run@v1', with: {}, 'continue-on-error': false },
  });
});

test.each([
  ['name', '_', 'name', '_'],
  ['name@v2', '_', 'name', 'v2'],
  ['my.prefix/name', 'my.prefix', 'name', '_'],
  // Language 1.4: The form of `uses`, with and without prefix and version.
  // HTTP 6: Commands of providers have labels of category.
])('%s is of prefix %s, category %s and version %s', (uses, prefix, category, version) => {
  const call = given(workflow({ a: job([{ id: 'call', uses }]) }), offer('a')).log.at(-1);
  expect(call?.metadata.labels).toEqual({
    'example.org/category': category,
    'example.org/categoryPrefix': prefix,
    'example.org/categoryVersion': version,
  });
});

test('the release carries the result and the outputs of the job', () => {
  expect(commands.at(-1)?.metadata).toMatchObject({
    'tutti.conclusion': 'success',
    'tutti.outputs': { o: 'v' },
  });
});

test('a skipped step is told with its outcome, a skipped job by its name', () => {
  const skipping = workflow({
    a: job([{ id: 's', run: 'x', if: 'false' }, 'y']),
    b: job(['x'], { if: 'false' }),
  });
  expect(given(skipping).log.at(-1)).toMatchObject({
    metadata: { name: 'log notification', job_id: expect.any(String), job_origin: [] },
    spec: { conclusion: 'skipped', 'tutti.job': 'b', logs: ['Job "b" skipped.'] },
  });
  expect(given(skipping, offer('a')).log.at(-2)).toMatchObject({
    metadata: { name: 'log notification', step_id: 's', step_origin: [], job_origin: [] },
    spec: { outcome: 'skipped', conclusion: 'skipped' },
  });
});

test('errors name their job', () => {
  const broken = workflow({ a: job([{ id: 's', run: 'x', if: 'oops' }]) });
  const error = given(broken, offer('a')).log.find(({ kind }) => kind === 'ExecutionError');
  expect(error).toMatchObject({
    metadata: { name: 'a', job_id: 'id-1', job_origin: [] },
    details: { error: expect.stringContaining('jobs.a, step s') },
  });
});

test('ids are drawn for what has none, and only for that', () => {
  const ids = log.flatMap(({ metadata }) => [metadata.job_id, metadata.step_id]);
  const drawn = new Set(ids.filter((id) => typeof id === 'string' && id.startsWith('id-')));
  // The job, and the steps of its request and its release.
  expect(drawn.size).toBe(3);
});

test('the run knows which step attached a file, and when the steps of the manifest ran', () => {
  const type = 'application/xml';
  const attachments = {
    '/tmp/a_0_x.xml': { uuid: 'file-1', type },
    '/tmp/a_0_y.xml': { uuid: 'file-2', type },
  };
  const { run } = given(...whole.slice(0, 4), result('build', 0, { metadata: { attachments } }));
  const at = '2026-01-01T12:00:00.000000';
  const { attachments: known, spans = [] } = run.jobs.get('build') ?? {};
  expect([...(known ?? [])]).toEqual([
    ['file-1', { stepId: 'call', type, at, order: 0 }],
    ['file-2', { stepId: 'call', type, at, order: 0 }],
  ]);
  expect(spans).toEqual([
    { stepId: 'call', askedAt: at, startedAt: at, endedAt: at },
    { stepId: 'own', askedAt: at, startedAt: at, endedAt: null },
  ]);
});

test('a step that waits in a function was asked for, and begins with its first command', () => {
  const later = (minutes: number, happening: Happening) => ({ ...happening, minute: minutes });
  const { run } = given(
    begin,
    later(1, offer('build')),
    later(2, answer('build', [{ id: 'inner', uses: 'c/d' }])),
    later(5, answer('build', [{ id: 'deep', run: 'x' }, { run: 'y' }])),
    later(7, result('build')),
  );
  const at = (minutes: number) => `2026-01-01T12:0${minutes}:00.000000`;
  const { startedAt, workedAt, spans } = run.jobs.get('build') ?? {};
  expect({ startedAt, workedAt }).toEqual({ startedAt: at(1), workedAt: at(5) });
  expect(spans?.[0]).toEqual({
    stepId: 'call',
    askedAt: at(1),
    startedAt: at(5),
    endedAt: at(7),
  });
});

// HTTP 3.2: It is RUNNING once a job has an environment, not while jobs wait or are skipped.
test('the phase of a run only goes on', () => {
  const phaseAfter = (...happened: readonly Happening[]) => given(...happened).run.phase;
  expect(phaseAfter()).toBe('NONE');
  expect(phaseAfter(begin)).toBe('PENDING');
  expect(phaseAfter(begin, offer('build'))).toBe('RUNNING');
  expect(phaseAfter(...whole)).toBe('DONE');
  expect(phaseAfter(begin, offer('build'), cancel())).toBe('RUNNING');
  expect(phaseAfter(begin, cancel())).toBe('FAILED');
});

test('a run that began and ended knows when', () => {
  const { run } = given(begin, minute(3), cancel());
  const kinds = (event: RunEvent | undefined) => event?.kind;
  expect(kinds(given(begin).log[0])).toBe('Workflow');
  expect(run).toMatchObject({
    createdAt: '2026-01-01T12:00:00.000000',
    completedAt: '2026-01-01T12:03:00.000000',
  });
});
