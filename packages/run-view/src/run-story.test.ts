import { formatTimestamp, type JobId, type LoggedEvent } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { type DocumentOptions, runDocument } from './run-document.ts';
import { emptyRunStory, reduceRunStory } from './run-story.ts';
import { createRunLog, type RunLog, START_MS, WORKFLOW_ID } from './testing.ts';

const folded = (events: readonly LoggedEvent[]) => events.reduce(reduceRunStory, emptyRunStory);
const documentOf = (log: RunLog, options?: DocumentOptions) =>
  runDocument(folded(log.events), options);
/** So many seconds after the run began. */
const at = (seconds: number) => formatTimestamp(START_MS + 1000 * seconds);

const SLOW = { 'runs-on': 'linux', steps: [{ id: 's', run: 'make' }] };

/** A job that waits for two reasons, calls a function, and fails in it. */
function failedRun(): RunLog {
  const log = createRunLog({ build: SLOW, test: { ...SLOW, needs: 'build' } });
  log.request('build');
  log.wait(
    'build',
    { reason: 'max-parallel', limit: 1, running: 1 },
    'Job "build" waits: others run.',
  );
  log.offer('build');
  log.provide('build', 'f', 'acme/check@v1', 'Check');
  log.step('build', 'in', 'make\nmake test', { origin: ['f'] });
  log.output('build', 'in', 'one', 'two');
  log.doneWithin('build', 'in', 2, 'f');
  log.skip('build', 'last', 'Publish');
  log.releasing('build', 'failure');
  log.released('build');
  log.endUnplaced('test', 'skipped', 'Job "test" skipped.');
  log.fail({ reason: 'Job "build" failed.' });
  return log;
}

describe('the document of a run', () => {
  test('has its state, and the counts of its jobs', () => {
    const { run, at: last } = documentOf(failedRun());
    expect(run).toMatchObject({
      workflow_id: WORKFLOW_ID,
      name: 'nightly',
      namespace: 'default',
      status: 'FAILED',
      started: at(0),
      ended: at(12),
      reason: 'Job "build" failed.',
      tests: null,
      jobs: { total: 2, failed: 1, skipped: 1, running: 0, waiting: 0, succeeded: 0, canceled: 0 },
    });
    expect(last).toBe(at(12));
  });

  test('has the times of each job, and why it waited', () => {
    const { jobs, waits } = documentOf(failedRun());
    expect(jobs[0]).toMatchObject({
      job_id: 'job-build',
      key: 'build',
      status: 'FAILED',
      requested: at(1),
      placed: at(3),
      started: at(5),
      released: at(9),
      ended: at(10),
    });
    expect(jobs[1]).toMatchObject({ key: 'test', status: 'SKIPPED', needs: ['build'] });
    expect(waits).toEqual([
      {
        job: 'build',
        reason: 'asked',
        text: 'asks for an environment',
        since: at(1),
        until: at(2),
      },
      {
        job: 'build',
        reason: 'max-parallel',
        text: 'waits: others run',
        since: at(2),
        until: at(3),
      },
    ]);
  });

  test('has each step once, with its functions around it', () => {
    const shown = documentOf(failedRun()).steps.map((step) => [
      step.label,
      step.origin,
      step.is_function,
      step.status,
      step.exit_code,
      step.started,
      step.ended,
    ]);
    expect(shown).toEqual([
      ['Check', [], true, 'FAILED', null, at(4), at(8)],
      ['make', ['f'], false, 'FAILED', 2, at(5), at(7)],
      ['Publish', [], false, 'SKIPPED', null, at(8), at(8)],
    ]);
  });

  test('has the first failure, with the lines before it', () => {
    const [first] = documentOf(failedRun()).failures;
    expect(first).toMatchObject({
      job: 'build',
      job_id: 'job-build',
      step: 'in',
      exit_code: 2,
      at: at(7),
      lines: ['one', 'two'],
      lines_total: 2,
    });
  });

  test('says what a job that runs does now', () => {
    const log = createRunLog({ build: SLOW });
    log.request('build');
    log.offer('build');
    log.step('build', 's', 'make');
    log.output('build', 's', 'one', 'x'.repeat(3_000));
    const [job] = documentOf(log).jobs;
    expect(job).toMatchObject({ status: 'RUNNING', step: { id: 's', label: 'make' } });
    expect(job?.last_line).toBe('x'.repeat(2_000));
    expect(documentOf(log).steps[0]).toMatchObject({ status: 'RUNNING', ended: null });
  });

  test('has the counts of test cases where somebody counted them', () => {
    const tests = new Map([
      ['job-build' as JobId, { success: 1, failure: 2, error: 0, skipped: 0 }],
    ]);
    const { run, jobs } = documentOf(failedRun(), { tests });
    expect(run.tests).toEqual({ success: 1, failure: 2, error: 0, skipped: 0 });
    expect(jobs.map((job) => job.tests)).toEqual([tests.get('job-build' as JobId), null]);
  });

  test('has files with their steps', () => {
    const log = createRunLog({ build: SLOW });
    log.request('build');
    log.offer('build');
    log.attach('build', 's', 'a');
    log.upload('build', 'b');
    log.publish('c');
    expect(documentOf(log).files).toEqual([
      { id: 'a', name: 'a', type: null, job: 'build', step: 's', at: at(3) },
      { id: 'b', name: 'b', type: null, job: 'build', step: null, at: at(4) },
      { id: 'c', name: 'c', type: null, job: '', step: null, at: at(5) },
    ]);
    expect(documentOf(log, { parent: 'build' }).files_total).toBe(2);
  });
});

describe('the jobs of a bundle', () => {
  const bundle = () => {
    const log = createRunLog({ all: { generator: 'acme/gen@v1' }, other: SLOW });
    log.expand('all', { one: SLOW, two: SLOW }, 'gen');
    return log;
  };

  test('are counted in it', () => {
    const [first] = documentOf(bundle()).jobs;
    expect(first).toMatchObject({ key: 'all', jobs: { total: 2, waiting: 2 } });
    expect(documentOf(bundle()).run.jobs.total).toBe(3);
  });

  test.each<[DocumentOptions, readonly string[]]>([
    [{}, ['all', 'all/one', 'all/two', 'other']],
    [{ depth: 1 }, ['all', 'other']],
    [{ parent: 'all' }, ['all/one', 'all/two']],
    [{ parent: 'all', depth: 9 }, ['all/one', 'all/two']],
    [{ parent: 'al' }, []],
  ])('are chosen by %j', (options, keys) => {
    const { jobs, jobs_total: total } = documentOf(bundle(), options);
    expect(jobs.map(({ key }) => key)).toEqual(keys);
    expect(total).toBe(keys.length);
  });
});

test('a story that goes on from a moment is that of all events', () => {
  const { events } = failedRun();
  for (let moment = 0; moment <= events.length; moment += 1) {
    const before = folded(events.slice(0, moment));
    const later = events.slice(moment).reduce(reduceRunStory, before);
    expect(runDocument(later)).toEqual(documentOf(failedRun()));
    // The rest changed nothing of the moment.
    expect(runDocument(before)).toEqual(runDocument(folded(events.slice(0, moment))));
  }
});
