import { OWN_ENTRIES } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { emptyRun } from '../run/run.ts';
import { given } from '../run/testing/given.ts';
import {
  bundle,
  cancel,
  executionError,
  type Happening,
  hold,
  job,
  minute,
  offer,
  released,
  result,
  workflow,
} from '../run/testing/inputs.ts';
import { firstFailureIn, isSummaryChanged, runSummaryOf } from './run-summary.ts';

const NOTHING = {
  total: 0,
  waiting: 0,
  running: 0,
  succeeded: 0,
  failed: 0,
  skipped: 0,
  canceled: 0,
};
const COUNTED = { ...NOTHING, total: 2 };

describe('the summary of a run', () => {
  test('counts its jobs, and not the bundles around them', () => {
    const begin = workflow({ a: job(['x']), bb: bundle({ b: job(['y'], { needs: [] }) }) });
    const jobsAfter = (...happened: readonly Happening[]) =>
      runSummaryOf(given(begin, ...happened).run).jobs;
    expect(jobsAfter()).toEqual({ ...COUNTED, waiting: 2 });
    expect(jobsAfter(offer('a'))).toEqual({ ...COUNTED, running: 1, waiting: 1 });
    expect(jobsAfter(offer('a'), result('a', 1), released('a'))).toEqual({
      ...COUNTED,
      failed: 1,
      waiting: 1,
    });
    expect(jobsAfter(offer('a'), result('a'), released('a'), cancel())).toEqual({
      ...COUNTED,
      succeeded: 1,
      canceled: 1,
    });
  });

  test('says who started it, with which labels, and what it repeats', () => {
    const metadata = {
      labels: { team: 'red', long: 'x'.repeat(1_000) },
      [OWN_ENTRIES.actor]: { subject: 'ada', key: 'k' },
      annotations: { [OWN_ENTRIES.rerunOf]: 'earlier' },
    };
    const { run } = given(workflow({ a: job(['x']) }, { metadata }), offer('a'));
    expect(runSummaryOf(run)).toMatchObject({
      started_by: 'ada',
      labels: { team: 'red' },
      rerun_of: 'earlier',
      canceled: false,
      started: '2026-01-01T12:00:00.000000',
    });
    expect(Object.keys(runSummaryOf(run).labels)).toEqual(['team']);
  });

  test('says why the run waits, until it is over', () => {
    const begin = workflow({ a: job(['x']) }, { concurrency: { group: 'lab' } });
    const { run } = given(begin, hold(null));
    expect(runSummaryOf(run).waiting).toBe(
      'Workflow waits: concurrency group "lab" is held by workflow workflow-0.',
    );
    const { run: over } = given(begin, hold(null), cancel());
    expect(runSummaryOf(over)).toMatchObject({ waiting: null, canceled: true });
  });

  test('changes with its jobs, and not with their steps', () => {
    const before = given(workflow({ a: job(['x', 'y']) }), offer('a'));
    expect(isSummaryChanged(emptyRun, before.run)).toBe(true);
    const between = before.when(result('a'));
    expect(isSummaryChanged(before.run, between.run)).toBe(false);
    const failed = before.when(result('a', 1));
    expect(isSummaryChanged(before.run, failed.run)).toBe(false);
    const { run } = given(workflow({ a: job(['x']) }), offer('a'), result('a', 1));
    const last = given(workflow({ a: job(['x']) }), offer('a'), result('a', 1)).when(released('a'));
    expect(isSummaryChanged(run, last.run)).toBe(true);
  });
});

describe('the first failure', () => {
  const failureOf = (happened: readonly Happening[], last: Happening) => {
    const before = given(...happened);
    const { run, events } = before.when(last);
    return firstFailureIn(before.run, run, events)?.failure ?? null;
  };

  test('is the step that failed, with its exit code', () => {
    const begin = workflow({ a: job([{ name: 'Unit tests', run: 'x' }]) });
    expect(failureOf([begin, offer('a')], result('a', 3))).toEqual({
      job: 'a',
      job_id: expect.any(String),
      step: 'Unit tests',
      step_id: 's0',
      message: 'exit code 3',
    });
  });

  test('is none that the workflow forgives', () => {
    const begin = workflow({ a: job([{ run: 'x', 'continue-on-error': true }]) });
    expect(failureOf([begin, offer('a')], result('a', 1))).toBeNull();
  });

  test('is no step that was told to stop', () => {
    const begin = workflow({ a: job(['x']) });
    expect(failureOf([begin, offer('a'), cancel()], result('a', 143))).toBeNull();
  });

  test('is the time limit of a step', () => {
    const begin = workflow({ a: job([{ run: 'x', 'timeout-minutes': 1 }]) });
    expect(failureOf([begin, offer('a')], minute(2))).toMatchObject({
      job: 'a',
      step_id: 's0',
      message: expect.stringContaining('1 min'),
    });
  });

  test('is an error of a job, or of the run', () => {
    const begin = workflow({ a: job(['x']) });
    expect(failureOf([begin, offer('a')], executionError('no disk', 'a'))).toMatchObject({
      job: 'a',
      step: null,
      message: 'no disk',
    });
    expect(failureOf([begin, offer('a')], executionError('no server'))).toMatchObject({
      job: null,
      message: 'no server',
    });
  });

  test('is a job that got no environment in time', () => {
    const begin = workflow({ a: job(['x'], { 'timeout-minutes': 1 }) });
    expect(failureOf([begin], minute(2))).toMatchObject({
      job: 'a',
      step: null,
      message: 'Job "a" canceled: no environment for it within 1 minute.',
    });
  });

  test('is none where nothing fails', () => {
    const begin = workflow({ a: job(['x']) });
    expect(failureOf([begin, offer('a')], result('a'))).toBeNull();
    expect(firstFailureIn(emptyRun, emptyRun, [])).toBeNull();
  });
});
