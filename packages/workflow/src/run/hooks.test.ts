// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Hooks: which steps run around functions and jobs, in which order, and what becomes of them when something fails. */
import type { Hook, HookStep, RunEvent } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { given } from './testing/given.ts';
import {
  answer,
  cancel,
  executionError,
  type Happening,
  job,
  minute,
  offer,
  released,
  result,
  workflow,
} from './testing/inputs.ts';
import { shortForm } from './testing/short-form.ts';

type Events = Hook['events'];

const steps = (texts: readonly (string | HookStep)[]): HookStep[] =>
  texts.map((text) => (typeof text === 'string' ? { id: text, run: text } : text));

function hook(
  name: string,
  events: Events,
  around: {
    readonly before?: readonly (string | HookStep)[];
    readonly after?: readonly (string | HookStep)[];
    readonly if?: string;
  } = { before: [`${name}-before`], after: [`${name}-after`] },
): Hook {
  const { before, after, if: condition } = around;
  return {
    name,
    events,
    ...(condition === undefined ? {} : { if: condition }),
    ...(before === undefined ? {} : { before: steps(before) }),
    ...(after === undefined ? {} : { after: steps(after) }),
  };
}

/** What a run does when every command ends as `exits` says (0 where it says nothing), without the results. */
function story(
  happened: readonly Happening[],
  exits: Readonly<Record<string, number>> = {},
): readonly RunEvent[] {
  const all = [...happened];
  for (;;) {
    const { run, log } = given(...all);
    const command = run.jobs.get('a')?.command;
    if (command === null || command === undefined) return log;
    const last = log.findLast(({ kind }) => kind === 'ExecutionCommand');
    const script = last?.kind === 'ExecutionCommand' ? (last.scripts[0] ?? '') : '';
    all.push(result('a', exits[script] ?? 0));
  }
}

const told = (events: readonly RunEvent[]): readonly string[] =>
  events.map(shortForm).filter((text) => /^(run|call|step|release|error) /.test(text));

const ran = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) => {
    const isStep = event.kind === 'ExecutionCommand' && event.metadata.step_sequence_id >= 0;
    return isStep ? [event.scripts.join(' ; ')] : [];
  });

const annotations = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) => {
    if (event.kind !== 'ExecutionCommand' || event.metadata.step_sequence_id === -1) return [];
    const { annotations: all, step_sequence_id: sequence } = event.metadata;
    const hooks = JSON.stringify(all?.['example.org/hooks'] ?? null);
    return [`${event.scripts[0] ?? 'release'} ${sequence} ${hooks}`];
  });

const FUNCTION = [{ category: 'run', categoryPrefix: 'tests' }];
const SETUP: Events = [{ channel: 'setup' }];
const TEARDOWN: Events = [{ channel: 'teardown' }];

describe('hooks of functions', () => {
  const call = { id: 'call', uses: 'tests/run@v1' };
  const begin = (hooks: Hook[], more: object = {}) =>
    workflow({ a: job([{ ...call, ...more }, 'after']) }, { hooks });
  const answered = (own?: readonly Hook[]) =>
    answer('a', [{ id: 'one', run: 'one' }], own === undefined ? {} : { hooks: own });

  test('stand around the steps of the function, those of the workflow outermost, after-steps in reverse', () => {
    const hooks = [hook('w1', FUNCTION), hook('w2', FUNCTION)];
    const own = [hook('p1', FUNCTION), hook('p2', FUNCTION)];
    expect(ran(story([begin(hooks), offer('a'), answered(own)]))).toEqual([
      'w1-before',
      'w2-before',
      'p1-before',
      'p2-before',
      'one',
      'p2-after',
      'p1-after',
      'w2-after',
      'w1-after',
      'after',
    ]);
  });

  test('have the function in their origin, their name on the command, and no annotation', () => {
    const events = story([begin([hook('w', FUNCTION)]), offer('a'), answered()]);
    const commands = events.filter((event) => event.kind === 'ExecutionCommand');
    const [, before, own] = commands.map(({ metadata }) => metadata);
    expect(before).toMatchObject({
      step_id: 'w-before',
      step_origin: ['call'],
      step_sequence_id: 0,
      'tutti.hook': 'w',
    });
    expect(before).not.toHaveProperty('annotations');
    expect(own).not.toHaveProperty('tutti.hook');
  });

  test.each<[Events[number], string, boolean]>([
    [{ category: 'run' }, 'tests/run@v1', true],
    [{ category: 'run' }, 'run', true],
    [{ category: 'run' }, 'tests/walk@v1', false],
    [{ categoryPrefix: 'tests' }, 'tests/walk@v2', true],
    [{ categoryPrefix: 'tests' }, 'tests2/run@v1', false],
    [{ categoryPrefix: 'tests' }, 'run', false],
    [{ category: '_' }, 'any/thing', true],
    [{ category: '_', categoryPrefix: '_', categoryVersion: '_' }, 'thing', true],
    [{ category: '_', categoryPrefix: 'tests' }, 'tests/run', true],
    [{ category: 'run', categoryVersion: 'v1' }, 'tests/run@v1', true],
    [{ category: 'run', categoryVersion: 'v1' }, 'tests/run@v2', false],
    [{ category: 'run', categoryVersion: 'v1' }, 'tests/run', false],
    [{ category: 'run', categoryVersion: '_' }, 'tests/run', true],
    [{ categoryVersion: 'v1' }, 'tests/run@v1', false],
  ])('%j holds for %s: %s', (event, uses, holds) => {
    const hooks = [hook('h', [event], { before: ['hooked'] })];
    const begun = workflow({ a: job([{ id: 'call', uses }]) }, { hooks });
    const scripts = ran(story([begun, offer('a'), answered()]));
    expect(scripts.includes('hooked')).toBe(holds);
  });

  test('a hook that several of its events fit runs once', () => {
    const hooks = [hook('h', [{ category: 'run' }, { category: '_' }], { before: ['x'] })];
    expect(ran(story([begin(hooks), offer('a'), answered()]))).toEqual(['x', 'one', 'after']);
  });

  test('see outputs of the function, and it sees theirs', () => {
    const hooks = [
      hook('h', FUNCTION, {
        before: [{ id: 'b', run: 'b' }],
        after: [{ id: 'c', run: 'c ${{ steps.b.outputs.v }} ${{ steps.one.outputs.v }}' }],
      }),
    ];
    const happened = [
      begin(hooks),
      offer('a'),
      answered(),
      result('a', 0, { outputs: { v: 'B' } }),
      result('a', 0, { outputs: { v: 'O' } }),
    ];
    expect(ran(given(...happened).log).at(-1)).toBe('c B O');
  });

  test('a failing step before fails the function, whose steps then run as their conditions say', () => {
    const own = [
      hook('h', FUNCTION, { before: ['b'], after: ['c', { id: 'd', run: 'd', if: 'always()' }] }),
    ];
    expect(told(story([begin([]), offer('a'), answered(own)], { b: 3 }))).toEqual([
      'call call tests/run@v1',
      'run a 0: b',
      'step one: skipped',
      'step c: skipped',
      'run a 1: d',
      'step call: failure',
      'step s1: skipped',
      'release a: failure',
    ]);
  });

  test('are forgiven with the step that called the function', () => {
    const hooks = [hook('h', FUNCTION, { after: ['c'] })];
    const events = story([begin(hooks, { 'continue-on-error': true }), offer('a'), answered()], {
      c: 1,
    });
    expect(told(events).slice(-3)).toEqual([
      'step call: failure, forgiven',
      'run a 2: after',
      'release a: success',
    ]);
  });

  test('the `if` of a hook holds beside that of its steps, and asks for no success by itself', () => {
    const always = { id: 'c', run: 'c', if: 'always()' };
    const hooks = [
      hook('linux', FUNCTION, { if: "runner.os == 'linux'", before: ['b'], after: [always] }),
      hook('windows', FUNCTION, { if: "runner.os == 'windows'", before: ['wb'], after: ['wc'] }),
      hook('failed', FUNCTION, { if: 'failure()', after: [{ ...always, id: 'f', run: 'f' }, 'g'] }),
    ];
    expect(ran(story([begin(hooks), offer('a'), answered()], { one: 1 }))).toEqual([
      'b',
      'one',
      'f',
      'c',
    ]);
  });

  test('an error in the `if` of a hook ends the run and says where', () => {
    const hooks = [hook('h', FUNCTION, { if: 'oops', before: ['b'] })];
    const { log } = given(begin(hooks), offer('a'), answered());
    expect(log.map(shortForm)).toContainEqual(
      expect.stringMatching(/^error jobs\.a, step b: Invalid expression "oops"/),
    );
  });

  test('have the variables, the working directory and the time of the step around them', () => {
    const more = { variables: { V: '1' }, 'working-directory': 'src', 'timeout-minutes': 2 };
    const defaults = { run: { shell: 'cmd' } };
    const hooks = [hook('h', FUNCTION, { before: ['b'] })];
    const begun = workflow({ a: job([{ ...call, ...more }]) }, { hooks, defaults });
    const command = given(begun, offer('a'), answered()).log.at(-1);
    expect(command).toMatchObject({ variables: { V: '1' }, 'working-directory': 'src' });
    expect(command?.metadata['tutti.deadline-ms']).toEqual(expect.any(Number));
    expect(command).not.toHaveProperty('shell');
  });

  test('may call functions, which then have no hooks', () => {
    const hooks = [
      hook('h', [{ category: '_' }], { before: [{ id: 'inner', uses: 'tests/run@v1' }] }),
    ];
    const happened = [begin(hooks), offer('a'), answered()];
    const own = [hook('p', FUNCTION)];
    const events = story([...happened, answer('a', [{ id: 'x', run: 'x' }], { hooks: own })]);
    expect(ran(events)).toEqual(['x', 'one', 'after']);
  });

  test('functions that a function calls have hooks of their own', () => {
    const hooks = [hook('h', [{ category: '_' }], { before: ['b'] })];
    const nested = answer('a', [{ id: 'inner', uses: 'c/d' }]);
    const happened = [begin(hooks), offer('a'), nested, result('a'), answered()];
    const events = story(happened);
    expect(ran(events)).toEqual(['b', 'b', 'one', 'after']);
    expect(
      events.flatMap(({ metadata }) => (metadata['tutti.hook'] ? [metadata.step_origin] : [])),
    ).toEqual([['call'], ['call', 'inner']]);
  });

  test('of a provider hold only for functions that were called with hooks', () => {
    // As a log from before there were hooks has it.
    const { log } = given(begin([]), offer('a'), answered([hook('p', FUNCTION)]));
    const old = log.map((event) => {
      const { 'tutti.hooks': _, ...metadata } = event.metadata;
      return { ...event, metadata } as RunEvent;
    });
    expect(log.at(-1)).toMatchObject({ scripts: ['p-before'] });
    expect(old.find(({ kind }) => kind === 'ProviderCommand')?.metadata).not.toHaveProperty(
      'tutti.hooks',
    );
  });

  test('steps without ids, and with ids that are taken, get some of their own', () => {
    const own = [
      hook('p', FUNCTION, { before: [{ run: 'x' }, { id: 'one', run: 'y' }] }),
      hook('q', FUNCTION, { before: [{ run: 'z' }], after: [{ id: 'one', run: 'w' }] }),
    ];
    const events = story([begin([]), offer('a'), answered(own)]);
    const ids = events.flatMap((event) =>
      event.kind === 'ExecutionCommand' && event.metadata.step_sequence_id >= 0
        ? [event.metadata.step_id]
        : [],
    );
    expect(ids).toEqual(['hook-0', 'one-2', 'hook-1', 'one', 'one-3', 's1']);
  });
});

describe('hooks of channels', () => {
  const begin = (hooks: Hook[], scripts: Parameters<typeof job>[0] = ['test']) =>
    workflow({ a: job(scripts) }, { hooks });

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

  test('tell the channel what to do about the workspace', () => {
    const hooks = [
      hook('s', SETUP, { before: ['b1', 'b2'], after: ['c1', 'c2'] }),
      hook('t', TEARDOWN, { before: ['d1', 'd2'], after: ['e1', 'e2'] }),
    ];
    expect(annotations(story([begin(hooks), offer('a')]))).toEqual([
      'b1 0 {"channel":"setup"}',
      'b2 1 {"channel":"setup"}',
      'c1 2 {"channel":"setup","use-workspace":"id-1"}',
      'c2 3 {"channel":"setup"}',
      'test 4 null',
      'd1 5 {"channel":"teardown"}',
      'd2 6 {"channel":"teardown"}',
      'e1 7 {"channel":"teardown","keep-workspace":false}',
      'e2 8 {"channel":"teardown","keep-workspace":false}',
      'release -2 {"channel":"teardown","keep-workspace":false}',
    ]);
  });

  test('a job without hooks says nothing of its workspace', () => {
    expect(annotations(story([begin([]), offer('a')]))).toEqual(['test 0 null', 'release -2 null']);
  });

  test('the first command that finds no workspace has one made, whichever it is', () => {
    const before = hook('s', SETUP, { before: ['b'] });
    const skipped = hook('s', SETUP, { before: [{ id: 'b', run: 'b', if: 'failure()' }] });
    const after = hook('s', SETUP, { after: ['c'] });
    const made = '{"channel":"setup","use-workspace":"id-1"}';
    const of = (given: Hook, scripts?: Parameters<typeof job>[0]) =>
      annotations(story([begin([given], scripts), offer('a')]));
    expect(of(before).slice(0, 2)).toEqual(['b 0 {"channel":"setup"}', `test 1 ${made}`]);
    expect(of(skipped)).toEqual(['test 0 null', 'release -2 null']);
    expect(of(after).slice(0, 2)).toEqual([`c 0 ${made}`, 'test 1 null']);
    expect(of(before, [{ id: 's', run: 's', if: 'failure()' }, 'test', 'again'])).toEqual([
      'b 0 {"channel":"setup"}',
      `test 1 ${made}`,
      'again 2 null',
      'release -2 null',
    ]);
  });

  test('the steps of a function that a setup hook calls run where the hook does', () => {
    const hooks = [hook('s', SETUP, { before: [{ id: 'b', uses: 'tests/run' }] })];
    const fetched = answer('a', [{ id: 'x', run: 'x' }]);
    expect(annotations(story([begin(hooks), offer('a'), fetched])).slice(0, 2)).toEqual([
      'x 0 {"channel":"setup"}',
      'test 1 {"channel":"setup","use-workspace":"id-1"}',
    ]);
  });

  test.each<[string, HookStep[], string[]]>([
    [
      'the last of several is used, and kept',
      [{ 'use-workspace': 'one' }, { 'use-workspace': '/two ${{ runner.os }}' }],
      [
        'test 0 {"channel":"setup","use-workspace":"/two linux"}',
        'release -2 {"channel":"teardown","keep-workspace":true}',
      ],
    ],
    [
      'one whose condition does not hold is none',
      [{ 'use-workspace': 'one' }, { 'use-workspace': 'two', if: 'failure()' }],
      [
        'test 0 {"channel":"setup","use-workspace":"one"}',
        'release -2 {"channel":"teardown","keep-workspace":true}',
      ],
    ],
    [
      'scripts of the same hook run before it is there',
      [{ 'use-workspace': 'one' }, { id: 'b', run: 'b' }],
      [
        'b 0 {"channel":"setup"}',
        'test 1 {"channel":"setup","use-workspace":"one"}',
        'release -2 {"channel":"teardown","keep-workspace":true}',
      ],
    ],
  ])('use-workspace: %s', (_, before, expected) => {
    const hooks = [hook('s', SETUP, { before })];
    expect(annotations(story([begin(hooks), offer('a')]))).toEqual(expected);
  });

  test('a workspace that nothing made is neither kept nor deleted', () => {
    const hooks = [hook('s', SETUP, { before: [{ 'use-workspace': 'one' }, 'b'] })];
    expect(annotations(story([begin(hooks), offer('a')], { b: 1 }))).toEqual([
      'b 0 {"channel":"setup"}',
      'release -2 null',
    ]);
  });

  test('a fresh workspace that only teardown had goes, though a hook gave another one', () => {
    const hooks = [hook('s', SETUP, { before: [{ 'use-workspace': 'one' }] }), hook('t', TEARDOWN)];
    const begun = workflow({ a: job([{ id: 's', run: 's', if: 'failure()' }]) }, { hooks });
    expect(annotations(story([begun, offer('a')]))).toEqual([
      't-before 0 {"channel":"teardown"}',
      't-after 1 {"channel":"teardown","keep-workspace":false}',
      'release -2 {"channel":"teardown","keep-workspace":false}',
    ]);
  });

  test.each<[HookStep['keep-workspace'], string | undefined, number, boolean]>([
    [true, undefined, 0, true],
    [true, undefined, 1, true],
    [true, 'failure()', 0, false],
    [true, 'failure()', 1, true],
    [true, 'success()', 1, false],
    ['${{ runner.os }}', undefined, 0, false],
    ["${{ job.status == 'success' }}", undefined, 0, true],
    ["${{ job.status == 'success' }}", undefined, 1, false],
    [false, undefined, 1, false],
  ])('keep-workspace: %s, if: %s, after status %i: %s', (keep, condition, status, kept) => {
    const step: HookStep = {
      ...(keep === undefined ? {} : { 'keep-workspace': keep }),
      ...(condition === undefined ? {} : { if: condition }),
    };
    const hooks = [hook('t', TEARDOWN, { before: [step], after: ['e'] })];
    const annotation = `{"channel":"teardown","keep-workspace":${kept}}`;
    expect(annotations(story([begin(hooks), offer('a')], { test: status }))).toEqual([
      'test 0 null',
      `e 1 ${annotation}`,
      `release -2 ${annotation}`,
    ]);
  });

  test('a directory that a hook gave stays, whatever another one says', () => {
    const hooks = [
      hook('s', SETUP, { before: [{ 'use-workspace': 'one' }] }),
      hook('t', TEARDOWN, { before: [{ 'keep-workspace': false }] }),
    ];
    expect(annotations(story([begin(hooks), offer('a')])).at(-1)).toBe(
      'release -2 {"channel":"teardown","keep-workspace":true}',
    );
  });

  test.each([
    ['use-workspace', FUNCTION, '"use-workspace" must be in "before" of "channel: setup".'],
    ['use-workspace', TEARDOWN, '"use-workspace" must be in "before" of "channel: setup".'],
    ['keep-workspace', SETUP, '"keep-workspace" must be in "before" of "channel: teardown".'],
  ])('%s elsewhere (%j) ends the run', (key, events, why) => {
    const step: HookStep = { id: 'w', [key]: key === 'use-workspace' ? 'x' : true };
    const own = [hook('h', events, { before: [step] })];
    const begun = workflow({ a: job([{ id: 'call', uses: 'tests/run' }]) });
    const offered = offer('a', 'channel-1', 'linux', events === FUNCTION ? [] : own);
    const answered = answer('a', [], events === FUNCTION ? { hooks: own } : {});
    const isCalled = given(begun, offered).run.jobs.get('a')?.providerCall;
    const happened = isCalled === null ? [offered] : [offered, answered];
    expect(told(given(begun, ...happened).log)).toContain(`error jobs.a, step w: ${why}`);
  });

  test('an empty path of a workspace ends the run', () => {
    const hooks = [hook('s', SETUP, { before: [{ id: 'w', 'use-workspace': "${{ '' }}" }] })];
    expect(told(given(begin(hooks), offer('a')).log)).toContain(
      'error jobs.a, step w: Expected the path of a workspace, got none.',
    );
  });

  test('a failing setup step fails the job; its steps are skipped, and the teardown runs', () => {
    const hooks = [hook('s', SETUP, { before: ['b'], after: ['c'] }), hook('t', TEARDOWN)];
    expect(told(story([begin(hooks), offer('a')], { b: 2 }))).toEqual([
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
    const failing = told(story([begin(hooks), offer('a')], { 'on-success': 1 }));
    expect(failing.slice(-3)).toEqual([
      'step on-windows: skipped',
      'run a 3: last',
      'release a: failure',
    ]);
  });

  test('teardown steps run after a cancellation, setup steps do not', () => {
    const hooks = [hook('s', SETUP, { before: ['b'], after: ['c'] }), hook('t', TEARDOWN)];
    const events = story([begin(hooks), offer('a'), cancel(), result('a', 143)]);
    expect(told(events)).toEqual([
      'run a 0: b',
      'step c: skipped',
      'step s0: skipped',
      'run a 1: t-before',
      'run a 2: t-after',
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
    expect(told(events)).toEqual([
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
