import type { ExecutionCommandEvent } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { artifactPath } from '../environment/attachments.ts';
import { ARTIFACTS_MAX } from './artifacts.ts';
import { evolve } from './evolve.ts';
import { given } from './testing/given.ts';
import {
  aboutRun,
  job,
  NOON_MS,
  offer,
  result,
  uploaded,
  WORKFLOW_ID,
  workflow,
} from './testing/inputs.ts';

const pathOf = (index: number, name: string): string => {
  const uuid = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  return artifactPath({ workflowId: WORKFLOW_ID, uuid: uuid as never, name });
};

const first = pathOf(1, 'a_b.txt');
const second = pathOf(2, 'c.txt');

const commandOf = (events: readonly object[]): ExecutionCommandEvent => {
  const command = events.findLast((event) => 'kind' in event && event.kind === 'ExecutionCommand');
  return command as ExecutionCommandEvent;
};

// Language 5: Commands list what was uploaded before them.
test('a command lists what was uploaded before it, by whichever job', () => {
  const jobs = { a: job(['x', 'y']), b: job(['z'], { needs: 'a' }) };
  const begun = [workflow(jobs), offer('a')] as const;
  const noneYet = given(workflow(jobs)).when(offer('a'));
  expect(commandOf(noneYet.events).metadata).not.toHaveProperty('artifacts');
  const next = given(...begun, uploaded('a', first)).when(result('a'));
  expect(commandOf(next.events).metadata.artifacts).toEqual([first]);
  const afterA = [...begun, uploaded('a', first), result('a'), uploaded('a', second), result('a')];
  const released = [...afterA, result('a', 0, { sequence: -2 })];
  const other = given(...released).when(offer('b'));
  expect(commandOf(other.events).metadata.artifacts).toEqual([first, second]);
});

test('an uploaded report is of the step that runs', () => {
  const { run } = given(workflow({ a: job(['x']) }), offer('a'), uploaded('a', first));
  expect(run.jobs.get('a')?.attachments.size).toBe(1);
  expect([...(run.jobs.get('a')?.attachments.values() ?? [])]).toMatchObject([
    { stepId: 's0', type: 'text/plain' },
  ]);
});

// Bound: Artifacts of a run.
test('what is uploaded beyond the limit is left out', () => {
  const { run } = given(workflow({ a: job(['x']) }), offer('a'));
  const attachments = Array.from({ length: ARTIFACTS_MAX + 1 }, (_, at) => pathOf(at, 'f'));
  const metadata = { ...aboutRun(NOON_MS), attachments: {} };
  const event = { kind: 'WorkflowResult', apiVersion: 'v1', metadata, attachments } as const;
  expect(evolve(run, event).artifacts).toEqual(attachments.slice(0, ARTIFACTS_MAX));
});

test('files of other runs and reports of other forms are no artifacts', () => {
  const foreign = [
    '/tmp/other-00000000-0000-4000-8000-000000000001_WR_x',
    '/tmp/allure/report.tar',
  ];
  const { run } = given(
    workflow({ a: job(['x']) }),
    offer('a'),
    ...foreign.map((path) => uploaded('a', path)),
  );
  expect(run.artifacts).toEqual([]);
});
