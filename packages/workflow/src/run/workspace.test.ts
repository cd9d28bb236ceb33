// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Commands tell their channel about the workspace (wire facts 3.4). */
import type { Hook, HookStep, RunEvent } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { evolve } from './evolve.ts';
import { emptyRun } from './run.ts';
import { given } from './testing/given.ts';
import {
  annotations,
  FUNCTION,
  hook,
  SETUP,
  shownBy,
  story,
  TEARDOWN,
} from './testing/hook-story.ts';
import { answer, cancel, job, offer, result, workflow } from './testing/inputs.ts';

describe('the workspace of a job with hooks', () => {
  const begin = (hooks: Hook[], scripts: Parameters<typeof job>[0] = ['test']) =>
    workflow({ a: job(scripts) }, { hooks });

  // Language 1.10: `setup`: before the workspace is there, and once it is there before the first step.
  // Language 1.10: `teardown`: before the workspace goes, and after.
  // Language 1.10: The annotation on commands: channel, workspace to use, workspace to keep.
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

  // Language 1.10: The annotation on commands: channel, workspace to use, workspace to keep.
  test('a job without hooks says nothing of its workspace', () => {
    expect(annotations(story([begin([]), offer('a')]))).toEqual(['test 0 null', 'release -2 null']);
  });

  // Language 3.4: A job whose command 0 is that of a hook has a workspace all the same.
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

  test('a command that was stopped before it made the workspace leaves that to the next one', () => {
    const steps: Parameters<typeof job>[0] = ['test', { id: 'tidy', run: 'tidy', if: 'always()' }];
    const ordersAfter = (variables: Record<string, string>) =>
      annotations(story([begin([], steps), offer('a'), cancel(), result('a', 143, { variables })]));
    const made = '{"channel":"setup","use-workspace":"id-1"}';
    expect(ordersAfter({})).toContain(`tidy 1 ${made}`);
    expect(ordersAfter({ OPENTF_WORKSPACE: '/tmp/id-1' })).toContain('tidy 1 null');
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
    // Language 1.10: `use-workspace`: the last one wins, it is neither emptied nor deleted.
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
    ["${{ runner.os == 'windows' }}", undefined, 0, false],
    ["${{ job.status == 'success' }}", undefined, 0, true],
    ["${{ job.status == 'success' }}", undefined, 1, false],
    [false, undefined, 1, false],
    // Language 1.10: A hook may keep the workspace.
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

  test('flags of notifications are texts; those that earlier versions wrote fold to the same run', () => {
    const before = [{ 'keep-workspace': true }, { id: 'never', run: 'x', if: 'failure()' }];
    const log = story([begin([hook('t', TEARDOWN, { before })]), offer('a')]);
    const specs = log.flatMap((event) => (event.kind === 'Notification' ? [event.spec] : []));
    expect(specs).toMatchObject([
      { 'tutti.step-ended': 'true', 'tutti.keep-workspace': 'true' },
      { 'tutti.step-ended': 'true' },
    ]);
    const text = JSON.stringify(log);
    const earlier = text.replaceAll(/("tutti\.(?:step-ended|keep-workspace)"):"true"/g, '$1:true');
    expect(earlier).not.toBe(text);
    const fold = (events: readonly RunEvent[]) => events.reduce(evolve, emptyRun);
    expect(fold(JSON.parse(earlier))).toEqual(fold(JSON.parse(text)));
  });

  // Language 1.10: `use-workspace`: the last one wins, it is neither emptied nor deleted.
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
    expect(shownBy(given(begun, ...happened).log)).toContain(`error jobs.a, step w: ${why}`);
  });

  test('an empty path of a workspace ends the run', () => {
    const hooks = [hook('s', SETUP, { before: [{ id: 'w', 'use-workspace': "${{ '' }}" }] })];
    expect(shownBy(given(begin(hooks), offer('a')).log)).toContain(
      'error jobs.a, step w: Expected the path of a workspace, got none.',
    );
  });
});
