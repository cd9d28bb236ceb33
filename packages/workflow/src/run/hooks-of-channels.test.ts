// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Hooks of channels: which steps run around a job, in which order, and what becomes of them when something fails. */
import type { Hook, HookStep } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { given } from './testing/given.ts';
import { hook, ran, SETUP, shownBy, story, TEARDOWN } from './testing/hook-story.ts';
import {
  answer,
  cancel,
  executionError,
  job,
  minute,
  offer,
  released,
  result,
  workflow,
} from './testing/inputs.ts';

describe('hooks of channels', () => {
  const begin = (hooks: Hook[], scripts: Parameters<typeof job>[0] = ['test']) =>
    workflow({ a: job(scripts) }, { hooks });

  // Language 1.10: `setup`: before the workspace is there, and once it is there before the first step.
  // Language 1.10: Hooks of the workflow are outermost; after-steps run in reverse.
  test('stand around the steps of the job: of the workflow outermost, then of the channel', () => {
    const hooks = [hook('w', SETUP), hook('v', SETUP), hook('x', TEARDOWN), hook('y', TEARDOWN)];
    const own = [hook('c', SETUP), hook('d', TEARDOWN)];
    const events = story([begin(hooks), offer('a', 'channel-1', 'linux', own)]);
    expect(ran(events)).toEqual([
      'w-before',
      'v-before',
      'c-before',
      'c-after',
      'v-after',
      'w-after',
      'test',
      'x-before',
      'y-before',
      'd-before',
      'd-after',
      'y-after',
      'x-after',
    ]);
    const origins = events.flatMap(({ metadata }) =>
      metadata['tutti.hook'] === undefined ? [] : [metadata.step_origin],
    );
    expect(new Set(origins.map(String))).toEqual(new Set(['']));
  });

  test('see an empty matrix around jobs without one', () => {
    const read = { id: 'os', run: 'os ${{ matrix.os }}', if: "matrix.os != 'b'" };
    const hooks = [hook('s', SETUP, { after: [read] })];
    const jobs = {
      a: job([{ id: 'test', run: 'test' }]),
      m: job(['x'], { strategy: { matrix: { os: ['a', 'b'] } } }),
    };
    const begun = workflow(jobs, { hooks });
    expect(ran(story([begun, offer('a')])).slice(0, 2)).toEqual(['os ', 'test']);
    expect(ran(story([begun, offer('m/m-a')]))[0]).toBe('os a');
    expect(ran(story([begun, offer('m/m-b')]))[0]).not.toBe('os b');
  });

  const id = '9a2326a8-4145-4b77-a4f6-163199ae106b';

  test.each<[string, HookStep, string]>([
    ['its name', { id, name: 'Clean ${{ matrix.x }}', run: 'x' }, 'Clean ${{ matrix.x }}'],
    ['its function', { id: 'f', uses: 'actions/checkout@v3' }, 'actions/checkout@v3'],
    ['the first line of its command', { id, run: '\n df -h\n ls' }, 'df -h'],
    ['the id that its author gave', { id: 'mine', 'keep-workspace': true }, 'mine'],
    ['what it does', { id, 'keep-workspace': true }, 'keep-workspace'],
    ['not more than its begin', { id, run: 'x'.repeat(5000) }, 'x'.repeat(1024)],
  ])('a step that is skipped is called by %s, however often it is there', (_, step, expected) => {
    const never = { ...step, if: 'always() && false' };
    const { 'keep-workspace': _k, ...other } = never;
    const before = step['keep-workspace'] === undefined ? [other] : [{ id, run: 'x' }];
    const hooks = [
      hook('h', SETUP, { before, if: 'false' }),
      hook('t', TEARDOWN, { before: [never] }),
    ];
    const skipped = story([begin(hooks), offer('a')]).filter(
      (event) => event.kind === 'Notification' && event.spec.outcome === 'skipped',
    );
    expect(skipped).toHaveLength(2);
    expect(skipped.at(-1)).toMatchObject({ spec: { 'tutti.step-name': expected } });
  });

  test('a step that runs says its name, which may come from anywhere', () => {
    const step = { id, name: 'Clean', run: 'x' };
    const hooks = [hook('h', [...SETUP, ...TEARDOWN], { before: [step] })];
    const ids = story([begin(hooks), offer('a')]).flatMap((event) =>
      event.metadata['tutti.step-name'] === 'Clean' ? [event.metadata.step_id] : [],
    );
    expect(ids).toEqual([id, `${id}-2`]);
  });

  test('an error in a step without a name tells its position, not the id that nobody gave', () => {
    const step = { id, run: 'x ${{ nowhere.x }}' };
    const hooks = [
      hook('t', [...SETUP, ...TEARDOWN], { before: [{ ...step, if: "job.status != 'success'" }] }),
    ];
    const events = story([begin(hooks, ['test']), offer('a')], { test: 1 });
    expect(shownBy(events)).toContainEqual(
      expect.stringMatching(/^error jobs\.a, step 1 of hook "t": /),
    );
  });

  test('a failing setup step fails the job; its steps are skipped, and the teardown runs', () => {
    const hooks = [hook('s', SETUP, { before: ['b'], after: ['c'] }), hook('t', TEARDOWN)];
    expect(shownBy(story([begin(hooks), offer('a')], { b: 2 }))).toEqual([
      'run a 0: b',
      'step c: skipped',
      'step s0: skipped',
      'run a 1: t-before',
      'run a 2: t-after',
      'release a: failure',
    ]);
  });

  test('teardown steps run after a failure unless they say otherwise, and fail the job themselves', () => {
    const before = (text: string, condition: string) => ({ id: text, run: text, if: condition });
    const hooks = [
      hook('t', TEARDOWN, {
        before: [
          before('on-failure', 'failure()'),
          before('on-success', 'success()'),
          before('on-linux', "runner.os == 'linux'"),
          before('on-windows', "runner.os == 'windows'"),
          'last',
        ],
      }),
    ];
    expect(ran(story([begin(hooks), offer('a')], { test: 1 }))).toEqual([
      'test',
      'on-failure',
      'on-linux',
      'last',
    ]);
    const failing = shownBy(story([begin(hooks), offer('a')], { 'on-success': 1 }));
    expect(failing.slice(-3)).toEqual([
      'step on-windows: skipped',
      'run a 3: last',
      'release a: failure',
    ]);
  });

  // Language 3.10: The environment of each job is freed, also after a failure or a cancellation.
  test('teardown steps run after a cancellation, setup steps do not', () => {
    const hooks = [hook('s', SETUP, { before: ['b'], after: ['c'] }), hook('t', TEARDOWN)];
    const events = story([begin(hooks), offer('a'), cancel(), result('a', 143)]);
    expect(shownBy(events)).toEqual([
      'run a 0: b',
      'step c: skipped',
      'step s0: skipped',
      'run a 1: t-before',
      'run a 2: t-after',
      'release a: cancelled',
    ]);
  });

  test('functions that teardown calls work after a cancellation', () => {
    const hooks = [hook('t', TEARDOWN, { before: [{ id: 'call', uses: 'tests/run' }] })];
    const happened = [begin(hooks), offer('a'), cancel(), result('a', 143)];
    const answered = answer('a', [
      { id: 'x', run: 'x' },
      { id: 'y', run: 'y', if: 'failure()' },
    ]);
    expect(shownBy(story([...happened, answered])).slice(-5)).toEqual([
      'call call tests/run',
      'run a 1: x',
      'step y: skipped',
      'step call: success',
      'release a: cancelled',
    ]);
  });

  test('a teardown command that runs goes on after a cancellation', () => {
    const hooks = [hook('t', TEARDOWN, { before: ['b'] })];
    given(begin(hooks), offer('a'), result('a')).when(cancel('enough')).follows('cancel enough');
  });

  test('teardown steps run in a job that ran too long, for as long as cleaning up may take', () => {
    const hooks = [hook('t', TEARDOWN)];
    const late = [begin(hooks), offer('a'), minute(400), result('a', 143)];
    expect(ran(story(late))).toEqual(['test', 't-before', 't-after']);
    expect(ran(story([...late, minute(410), result('a', 143)]))).toEqual(['test', 't-before']);
  });

  test('nothing of a hook starts after an error', () => {
    const hooks = [hook('s', SETUP, { before: ['b'] }), hook('t', TEARDOWN)];
    const events = story([begin(hooks), offer('a'), executionError('broken'), result('a', 143)]);
    expect(shownBy(events)).toEqual([
      'run a 0: b',
      'error broken',
      'step s0: skipped',
      'step t-before: skipped',
      'step t-after: skipped',
      'release a: cancelled',
    ]);
  });

  test('one hook on setup and teardown runs at both, with ids that differ', () => {
    const hooks = [hook('h', [...SETUP, ...TEARDOWN], { before: ['b'] })];
    const events = story([begin(hooks), offer('a')]);
    expect(ran(events)).toEqual(['b', 'test', 'b']);
    const ids = events.flatMap(({ metadata }) =>
      metadata['tutti.hook'] === undefined ? [] : [metadata.step_id],
    );
    expect(ids).toEqual(['b', 'b-2']);
  });

  test('the job sees outputs of setup, teardown those of the job, and outputs of the job all of them', () => {
    const hooks = [
      hook('s', SETUP, { before: [{ id: 'b', run: 'b' }] }),
      hook('t', TEARDOWN, { before: [{ id: 't', run: 't ${{ steps.s0.outputs.v }}' }] }),
    ];
    const outputs = { o: '${{ steps.b.outputs.v }}${{ steps.t.outputs.v }}' };
    const begun = workflow({ a: job(['x ${{ steps.b.outputs.v }}'], { outputs }) }, { hooks });
    const v = (value: string) => result('a', 0, { outputs: { v: value } });
    const { log, run } = given(begun, offer('a'), v('B'), v('S'), v('T'), released('a'));
    expect(ran(log)).toEqual(['b', 'x B', 't S']);
    expect(run.jobs.get('a')?.outputs).toEqual({ o: 'BT' });
  });

  test('steps of hooks do not count in the names of the steps of the job', () => {
    const hooks = [hook('s', SETUP, { before: [{ id: 'b', run: 'b ${{ opentf.step }}' }] })];
    const events = story([begin(hooks, ['x ${{ opentf.step }}']), offer('a')]);
    expect(ran(events)).toEqual(['b run1', 'x run1']);
  });

  test('hold for the jobs of bundles', () => {
    const bundle = { jobs: { x: job(['test']) } };
    const { log } = given(
      workflow({ a: bundle }, { hooks: [hook('s', SETUP, { before: ['b'] })] }),
      offer('a/x'),
      result('a/x'),
    );
    expect(ran(log)).toEqual(['b', 'test']);
  });

  test('defaults are not for them, variables of workflow and job are', () => {
    const hooks = [hook('s', SETUP, { before: ['b'] })];
    const begun = workflow(
      { a: job(['x'], { variables: { J: 'j' } }) },
      { hooks, variables: { W: 'w' }, defaults: { run: { 'working-directory': 'src' } } },
    );
    const command = given(begun, offer('a')).log.at(-1);
    expect(command).toMatchObject({ scripts: ['b'], variables: { J: 'j', W: 'w' } });
    expect(command).not.toHaveProperty('working-directory');
  });
});
