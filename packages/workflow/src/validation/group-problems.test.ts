// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import type { WorkflowJob, WorkflowManifest } from '@tutti/manifests';
import { formatProblem } from '@tutti/manifests/documents';
import { expect, test } from 'vitest';
import { groupProblems } from './group-problems.ts';

const steps = [{ run: 'x' }];
const inGroup = (group: string, more: Partial<WorkflowJob> = { steps }): WorkflowJob => ({
  concurrency: { group },
  ...more,
});
const workflow = (jobs: WorkflowManifest['jobs'], group = 'lab'): WorkflowManifest => ({
  metadata: { name: 'x' },
  concurrency: { group },
  jobs,
});

test('a group that the workflow or a bundle around holds is none for a job', () => {
  const manifest = workflow({
    a: inGroup('lab'),
    b: inGroup('other', { jobs: { c: inGroup('other'), d: inGroup('lab'), e: inGroup('free') } }),
    f: inGroup('other'),
  });
  const why = (holder: string) =>
    `is held by the ${holder} of the job, which would wait for itself.`;
  expect(groupProblems(manifest, 'started').map(formatProblem)).toEqual([
    `jobs.a.concurrency.group: Group "lab" ${why('workflow')}`,
    `jobs.b.jobs.c.concurrency.group: Group "other" ${why('bundle')}`,
    `jobs.b.jobs.d.concurrency.group: Group "lab" ${why('workflow')}`,
  ]);
});

test('groups named by expressions are left to the run', () => {
  const group = '${{ inputs.x }}';
  expect(groupProblems(workflow({ a: inGroup(group) }, group), 'started')).toEqual([]);
});

test('the group of a called workflow means nothing there', () => {
  expect(groupProblems(workflow({ a: inGroup('lab') }), 'called')).toEqual([]);
});
