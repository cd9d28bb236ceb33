/** Judging a run with jobs that it took over, where something is not as it was. */
import {
  type BrokenReport,
  formatTimestamp,
  type WorkflowEvent,
  type WorkflowId,
} from '@tutti/manifests';
import { emptyRun, evolve, type Job, type Run, takenOver } from '@tutti/workflow';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WorkflowRow } from '../../store/store.ts';
import { type GateFixture, JOB, openGateFixture } from './testing.ts';

let fixture: GateFixture;
beforeAll(async () => {
  fixture = await openGateFixture();
});
afterAll(() => fixture.close());

const RERUN = { metadata: { annotations: { 'tutti.rerun-of': 'x' } } };
const STEPS = { 'runs-on': ['linux'], steps: [{ run: 'x' }] };

function runOf(workflowId: WorkflowId, more: object = {}): Run {
  const event = {
    apiVersion: 'opentestfactory.org/v1',
    kind: 'Workflow',
    metadata: {
      name: 'demo',
      namespace: 'ours',
      workflow_id: workflowId,
      creationTimestamp: formatTimestamp(0),
      ...more,
    },
    jobs: { build: STEPS, ship: STEPS },
  } as unknown as WorkflowEvent;
  return evolve(emptyRun, event);
}

/** A run of which the job "build" ended well, with a test case of it that failed. */
async function earlierRun(
  more: Partial<WorkflowRow> = {},
  broken: readonly BrokenReport[] = [],
): Promise<Run> {
  const id = await fixture.addRun(['failure'], more, broken);
  const run = runOf(id);
  const build = run.jobs.get('build') as Job;
  const jobs = new Map(run.jobs).set('build', { ...build, jobId: JOB, result: 'success' });
  const ended: Run = { ...run, phase: 'FAILED', jobs };
  fixture.folded.set(id, ended);
  return ended;
}

/** A run that took over the job "build", and has a test case that succeeded. */
async function laterRun(
  earlier: Run,
  masks: readonly string[] = [],
  first: object = RERUN,
): Promise<WorkflowId> {
  const id = await fixture.addRun(['success'], {}, [], first);
  fixture.folded.set(id, { ...runOf(id, takenOver(earlier).metadata), masks });
  return id;
}

test('the test cases of jobs that were taken over count', async () => {
  const earlier = await earlierRun();
  expect((await fixture.get(await laterRun(earlier), '?takenOver')).details).toMatchObject({
    status: 'FAILURE',
    rules: { strict: { tests_in_scope: 2, tests_failed: 1 } },
    taken_over: [{ workflow_id: earlier.workflowId, jobs: ['build'], job_ids: [JOB] }],
  });
});

test('a run whose first event says of no earlier one is not looked through', async () => {
  const id = await laterRun(await earlierRun(), [], {});
  expect((await fixture.get(id, '?takenOver')).details).toEqual({
    status: 'SUCCESS',
    rules: { strict: expect.objectContaining({ tests_in_scope: 1 }) },
  });
});

test('a run that leaves while it is looked at is lost', async () => {
  const earlier = await earlierRun();
  const id = await laterRun(earlier);
  await fixture.store.forget([earlier.workflowId]);
  const { details } = await fixture.get(id, '?takenOver&mode=passing');
  expect(details).toMatchObject({
    status: 'FAILURE',
    taken_over: [{ workflow_id: earlier.workflowId, jobs: ['build'], lost: true }],
    warnings: [
      `The test results of the job "build" are no longer there, because workflow ${earlier.workflowId}, from which they were taken over, has left. ` +
        'The gate is not passed. Run the workflow again as a whole.',
    ],
  });
});

test('the first of many jobs whose test results are lost are named', async () => {
  const earlier = await earlierRun();
  const id = await fixture.addRun([], {}, [], RERUN);
  const [build] = earlier.jobs.values();
  const names = Array.from({ length: 22 }, (_, index) => `cell-${index}`);
  const jobs = new Map(names.map((key) => [key, { ...(build as Job), key, name: key }]));
  const { metadata } = takenOver({ ...earlier, jobs });
  const later = runOf(id, metadata);
  fixture.folded.set(id, { ...later, jobs });
  fixture.folded.delete(earlier.workflowId);
  const { details } = await fixture.get(id, '?takenOver');
  expect(details.warnings[0]).toContain('"cell-18", "cell-19" and 2 more are no longer there');
  expect(details.taken_over[0].jobs).toHaveLength(22);
});

test('reports of earlier runs that are still being read are waited for', async () => {
  const earlier = await earlierRun({ workers: ['interpreter'], live: true });
  const answer = await fixture.get(await laterRun(earlier), '?takenOver&timeout=0');
  expect([answer.code, answer.details]).toEqual([202, {}]);
});

test('reports that are not whole are told of jobs that were taken over, and of no others', async () => {
  const report = (job: string): BrokenReport => ({
    job,
    step: 'Test',
    file: `${job}.xml`,
    problem: 'It cannot be read: the file is empty.',
    testCases: 0,
    isCut: true,
  });
  const earlier = await earlierRun({}, [report('ship'), report('build')]);
  const { details } = await fixture.get(await laterRun(earlier), '?takenOver');
  expect(details.warnings).toEqual([expect.stringContaining('Report "build.xml" of job "build"')]);
});

test('texts that the run masks are masked in the names of its jobs', async () => {
  const id = await laterRun(await earlierRun(), ['build']);
  const { details } = await fixture.get(id, '?takenOver');
  expect(JSON.stringify(details)).not.toContain('build');
  expect(details.taken_over[0].jobs).toEqual(['***']);
});
