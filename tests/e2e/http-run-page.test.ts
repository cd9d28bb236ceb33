/** Answers of a server to the pages about one run. */
import { emptyRunStory, type RunDocument, reduceRunStory, runDocument } from '@tutti/run-view';
import { describe, expect, test } from 'vitest';
import { type Answer, bodyOf, detailsOf } from '../support/api.ts';
import { expectStatus } from '../support/expect-status.ts';
import { ended, oneJob, sh, start } from '../support/runs.ts';
import { useSample } from '../support/sample-run.ts';

const sample = useSample();
const { get, getDone } = sample;

type View = RunDocument & { readonly seq: number; readonly total: number };
// The tests look at each part of it.
const partsOf = (answer: Answer) => detailsOf(answer) as unknown as View;

describe('the view of a run', () => {
  test('is that of a fold of its events', async () => {
    const answer = await getDone('view');
    expectStatus(answer);
    const { seq, total, run, jobs, ...rest } = partsOf(answer);
    expect([seq, total]).toEqual([sample.events.length, sample.events.length]);
    const folded = runDocument(sample.events.reduce(reduceRunStory, emptyRunStory));
    const { tests, ...ofRun } = run;
    expect({ ...ofRun, tests: null }).toEqual(folded.run);
    expect(tests).toEqual({ success: 1, failure: 1, error: 0, skipped: 1 });
    expect(jobs.map((job) => ({ ...job, tests: null }))).toEqual(folded.jobs);
    expect(jobs.map((job) => job.tests)).toEqual([null, tests]);
    const { run: _, jobs: __, ...others } = folded;
    expect(rest).toEqual(others);
  });

  test('of an earlier moment is that of the events up to it', async () => {
    for (const at of [0, 1, 5, sample.events.length - 1]) {
      const { seq, total, ...view } = partsOf(await getDone('view', `at=${at}`));
      expect([seq, total]).toEqual([at, sample.events.length]);
      const events = sample.events.slice(0, at);
      expect(view).toEqual(runDocument(events.reduce(reduceRunStory, emptyRunStory)));
    }
    const { seq } = partsOf(await getDone('view', 'at=99999'));
    expect(seq).toBe(sample.events.length);
  });

  test('may be of one job alone', async () => {
    const { jobs, steps } = partsOf(await getDone('view', 'parent=first&depth=1'));
    expect(jobs).toEqual([]);
    expect(new Set(steps.map(({ job }) => job))).toEqual(new Set(['first']));
  });

  test('says why a job waits', async () => {
    const { jobs } = partsOf(await get(`/workflows/${sample.waiting}/view`));
    expect(jobs).toMatchObject([{ key: 'main', status: 'WAITING' }]);
    expect(jobs[0]?.waiting).toContain('nowhere');
  });

  test('begins with the first failure', async () => {
    const id = await start(
      sample.server,
      oneJob('fails', [sh('echo one; echo two; exit 3'), sh('true')]),
    );
    await ended(sample.server, id);
    const { failures, run } = partsOf(await get(`/workflows/${id}/view`));
    expect(run).toMatchObject({ status: 'FAILED', jobs: { total: 1, failed: 1 } });
    expect(failures[0]).toMatchObject({ job: 'main', exit_code: 3, lines: ['one', 'two'] });
  });

  test.each(['at=-1', 'at=x', 'depth=0', 'parent=a&parent=b'])(
    'of ?%s is Invalid',
    async (query) => {
      const answer = await getDone('view', query);
      expectStatus(answer);
      expect(bodyOf(answer)).toMatchObject({ code: 422, reason: 'Invalid' });
    },
  );
});
