// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Hooks of functions: which steps run around a call, in which order, and what becomes of them when something fails. */
import type { Hook, RunEvent } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { evolve } from './evolve.ts';
import { emptyRun } from './run.ts';
import { given } from './testing/given.ts';
import { type Events, FUNCTION, hook, ran, SETUP, shownBy, story } from './testing/hook-story.ts';
import { answer, job, offer, result, workflow } from './testing/inputs.ts';
import { shortForm } from './testing/short-form.ts';

describe('hooks of functions', () => {
  const call = { id: 'call', uses: 'tests/run@v1' };
  const begin = (hooks: Hook[], more: object = {}) =>
    workflow({ a: job([{ ...call, ...more }, 'after']) }, { hooks });
  const answered = (own?: readonly Hook[]) =>
    answer('a', [{ id: 'one', run: 'one' }], own === undefined ? {} : { hooks: own });

  // Language 1.10: Hooks of the workflow are outermost; after-steps run in reverse.
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
    // Language 1.10: Events of functions: category, prefix and version, `_` for any; one of the first two is required.
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

  // Language 1.10: Events of functions: category, prefix and version, `_` for any; one of the first two is required.
  test('a hook that is also for channels is a hook for each, and decides on the workspace in its own part alone', () => {
    const events = [...SETUP, ...FUNCTION, { channel: 'teardown', category: 'walk' } as const];
    const before = [
      { id: 'use', 'use-workspace': '/srv' },
      { id: 'keep', 'keep-workspace': true },
      { id: 'b', run: 'b' },
    ];
    const hooks = [hook('h', events, { before, after: ['c'] })];
    const setUp = [offer('a'), result('a'), result('a'), answered()];
    const happened = story([begin(hooks), ...setUp]);
    expect(ran(happened)).toEqual(['b', 'c', 'b', 'one', 'c', 'after', 'b', 'c']);
    const chosen = happened.flatMap((event) =>
      event.kind === 'Notification'
        ? [
            Object(event.spec)['tutti.use-workspace'] ??
              Object(event.spec)['tutti.keep-workspace'] ??
              [],
          ].flat()
        : [],
    );
    expect(chosen).toEqual(['/srv', 'true']);
    const walk = workflow({ a: job([{ id: 'call', uses: 'any/walk' }]) }, { hooks });
    const walked = ran(story([walk, ...setUp]));
    expect(walked).toEqual(['b', 'c', 'b', 'one', 'c', 'b', 'c']);
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
    expect(shownBy(story([begin([]), offer('a'), answered(own)], { b: 3 }))).toEqual([
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
    expect(shownBy(events).slice(-3)).toEqual([
      'step call: failure, forgiven',
      'run a 2: after',
      'release a: success',
    ]);
  });

  // Language 1.10: A hook may have a condition.
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
    const { log } = given(begin([]), offer('a'), answered([hook('p', FUNCTION)]));
    expect(log.at(-1)).toMatchObject({ scripts: ['p-before'] });
    // The event as in a log from before there were hooks.
    const old = log.slice(0, -1).map((event) => {
      const { 'tutti.hooks': _, ...metadata } = event.metadata;
      return { ...event, metadata } as RunEvent;
    });
    const [, frame] = old.reduce(evolve, emptyRun).jobs.get('a')?.frames ?? [];
    expect(frame?.steps.map(({ id }) => id)).toEqual(['one']);
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
