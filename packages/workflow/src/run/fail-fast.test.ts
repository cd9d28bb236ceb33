// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Jobs that a failure in a bundle stops, and jobs that it does not stop. */
import type { WorkflowJob } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { given } from './testing/given.ts';
import {
  bundle,
  grant,
  job,
  minute,
  notification,
  offer,
  released,
  result,
  supersede,
  workflow,
} from './testing/inputs.ts';

describe('fail-fast of a workflow with bundles', () => {
  const strategy = { 'fail-fast': true };
  const jobs = { x: job(['x']), y: job(['y'], { needs: 'x', if: 'always()' }), z: job(['z']) };
  const other = job(['o']);

  test('stops all jobs as soon as it is certain that a bundle fails', () => {
    const last = given(
      workflow({ bb: bundle(jobs), other }, { strategy }),
      offer('bb/x'),
      offer('bb/z', 'channel-2'),
      offer('other', 'channel-3'),
    ).when(result('bb/x', 1));
    last.follows(
      'result x 0: 1',
      'release x: failure',
      'halted ',
      'stop s0: canceled',
      'stop s0: canceled',
    );
    expect(last.events[2]).toMatchObject({
      spec: { logs: ['The workflow stops: job "x" of job "bb" failed (fail-fast).'] },
    });
  });

  test('makes the bundle fail, not be canceled', () => {
    const { run, events } = given(
      workflow({ bb: bundle({ x: job(['x']), z: job(['z']) }), other }, { strategy }),
      offer('bb/x'),
      offer('bb/z', 'channel-2'),
      result('bb/x', 1),
      released('bb/x'),
      result('bb/z', 143),
    ).when(released('bb/z'));
    const results = [...run.jobs].map(([key, { result: ended }]) => [key, ended]);
    expect(Object.fromEntries(results)).toEqual({
      bb: 'failure',
      other: 'cancelled',
      'bb/x': 'failure',
      'bb/z': 'cancelled',
    });
    expect(events.at(-1)).toMatchObject({ details: { reason: 'Job "bb" failed.' } });
  });

  test('stops the jobs beside a matrix whose own fail-fast is false, and none of its own', () => {
    const t = job(['x'], { strategy: { matrix: { os: ['a', 'b', 'c'] }, 'fail-fast': false } });
    const happened = [
      workflow({ bb: bundle({ t, z: job(['z']) }), other }, { strategy }),
      offer('bb/t/t-a'),
      offer('bb/t/t-b', 'channel-2'),
      offer('bb/z', 'channel-3'),
    ] as const;
    const last = given(...happened).when(result('bb/t/t-a', 1));
    last.follows(
      'result t (a) 0: 1',
      'release t (a): failure',
      'halted  but bb/t',
      'ended other: cancelled',
      'stop s0: canceled',
    );
    expect(last.events[2]).toMatchObject({
      spec: {
        logs: [
          'The workflow stops: job "t (a)" of job "bb" failed (fail-fast). Job "t" goes on to its end.',
        ],
      },
    });
    given(...happened, result('bb/t/t-a', 1), released('bb/t/t-a'))
      .when(offer('bb/t/t-c', 'channel-4'))
      .follows('offer t (c): channel-4', 'run t (c) 0: x');
  });

  test('leaves a time limit to a bundle in which some go on', () => {
    const t = job(['x'], { strategy: { matrix: { os: ['a', 'b'] }, 'fail-fast': false } });
    given(
      workflow({ bb: bundle({ t }, { 'timeout-minutes': 5 }), other }, { strategy }),
      offer('bb/t/t-a'),
      offer('bb/t/t-b', 'channel-2'),
      result('bb/t/t-a', 1),
    )
      .when(minute(5))
      .follows('overtime', 'stop s0: canceled');
  });

  test.each<[string, Partial<WorkflowJob>, Partial<WorkflowJob>]>([
    ['the bundle may continue on error', { 'continue-on-error': true }, {}],
    ['the run will know whether it does', { 'continue-on-error': '${{ 1 == 2 }}' }, {}],
    ['its job continues on error', {}, { 'continue-on-error': true }],
  ])('stops nothing while %s', (_, ofBundle, ofJob) => {
    const inside = { x: job(['x'], ofJob), z: job(['z']) };
    const { events } = given(
      workflow({ bb: bundle(inside, ofBundle), other }, { strategy }),
      offer('bb/x'),
      offer('bb/z', 'channel-2'),
    ).when(result('bb/x', 1));
    expect(JSON.stringify(events)).not.toContain('tutti.halted');
  });

  test('is told of no more where nothing is left to stop', () => {
    const t = job(['x'], { strategy: { matrix: { os: ['a', 'b'] }, 'fail-fast': false } });
    given(
      workflow({ bb: bundle({ t }) }, { strategy }),
      offer('bb/t/t-a'),
      offer('bb/t/t-b', 'channel-2'),
    )
      .when(result('bb/t/t-a', 1))
      .follows('result t (a) 0: 1', 'release t (a): failure');
  });

  test.each<[what: string, slow: Record<string, WorkflowJob>, key: string]>([
    ['a job', { b: job(['y'], { 'timeout-minutes': 5 }) }, 'b'],
    ['a job of a bundle', { b: bundle({ x: job(['y'], { 'timeout-minutes': 5 }) }) }, 'b/x'],
  ])('names what took too long at the end, and not what was stopped for it: %s', (_, slow, key) => {
    const { events } = given(
      workflow({ a: job(['x']), ...slow, c: job(['z'], { needs: 'b' }) }, { strategy }),
      offer('a'),
      offer(key, 'channel-2'),
      minute(5),
      result(key, 143),
      released(key),
      result('a', 143),
    ).when(released('a'));
    expect(events.at(-1)).toMatchObject({ details: { reason: 'Job "b" failed.' } });
  });

  test('is one at the end also where what is around it gave way meanwhile', () => {
    const group = { concurrency: { group: 'one' } };
    const { events } = given(
      workflow({ bb: bundle({ x: job(['x']), z: job(['z']) }, group), other }, { strategy }),
      grant('bb'),
      offer('bb/x'),
      offer('bb/z', 'channel-2'),
      offer('other', 'channel-3'),
      result('bb/x', 1),
      supersede('bb'),
      released('bb/x'),
      result('bb/z', 143),
      released('bb/z'),
      result('other', 143),
    ).when(released('other'));
    expect(events.at(-1)).toMatchObject({ details: { reason: 'Job "bb" failed.' } });
    expect(JSON.stringify(events.at(-1))).not.toContain('cancelled');
  });

  test('is not known of earlier versions, so that all that stopped is named', () => {
    const { events } = given(
      workflow({ a: job(['x']), b: job(['y']) }),
      offer('a'),
      offer('b', 'channel-2'),
      notification({}, { 'tutti.halted': '' }),
      result('a', 143),
      released('a'),
      result('b', 143),
    ).when(released('b'));
    expect(events.at(-1)).toMatchObject({ details: { reason: 'Jobs "a", "b" failed.' } });
  });

  test('comes first at the end before what failed while it was stopped', () => {
    const { events } = given(
      workflow({ a: bundle({ x: job(['x']) }), b: job(['y']) }, { strategy }),
      offer('a/x'),
      offer('b', 'channel-2'),
      result('b', 1),
      result('a/x', 0),
      released('a/x'),
    ).when(released('b'));
    expect(events.at(-1)).toMatchObject({ details: { reason: 'Job "b" failed.' } });
  });

  test('stops all by events of earlier versions, which name no job', () => {
    const { run } = given(
      workflow({ bb: bundle(jobs), other }),
      offer('bb/x'),
      result('bb/x', 1),
    ).when(notification({}, { 'tutti.halted': '' }));
    expect(run.jobs.get('bb')).toMatchObject({ canceled: true, bundle: { set: { halted: true } } });
  });
});
