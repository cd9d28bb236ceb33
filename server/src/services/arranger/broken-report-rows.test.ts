import type {
  AttachmentId,
  BrokenReport,
  JobId,
  NotificationEvent,
  ReportFault,
  StepId,
  Timestamp,
  WorkflowId,
  WorkflowStep,
} from '@tutti/manifests';
import { createRedactor, emptyRun, type Job, type Run } from '@tutti/workflow';
import { expect, test } from 'vitest';
import { brokenReportRows } from './broken-report-rows.ts';

const REPORT = '22222222-0000-0000-0000-000000000000' as AttachmentId;
const STEP = '33333333-0000-0000-0000-000000000000' as StepId;
const AT = '2026-01-31T12:00:00.000000' as Timestamp;
const FAULT = { file: 'a.xml', problem: 'It cannot be read.', testCases: 3, isCut: true };

function runWith(step: Partial<WorkflowStep>): Run {
  const steps = [{ run: '', ...step, id: STEP }];
  const attachments = new Map([[REPORT, { stepId: STEP, type: null, at: AT, order: 0 }]]);
  const job: Pick<Job, 'name' | 'definition' | 'attachments'> = {
    name: 'unit',
    definition: { 'runs-on': 'linux', steps },
    attachments,
  };
  // Only what is read of it.
  return { ...emptyRun, jobs: new Map([['unit', job as Job]]) };
}

const told = (fault: ReportFault, attachment: readonly AttachmentId[] = [REPORT]) =>
  ({
    apiVersion: 'opentestfactory.org/v1alpha1',
    kind: 'Notification',
    metadata: {
      name: 'log notification',
      workflow_id: 'w' as WorkflowId,
      job_id: 'j' as JobId,
      namespace: 'default',
      creationTimestamp: AT,
      attachment_origin: attachment,
    },
    spec: { 'tutti.broken-report': fault },
  }) satisfies NotificationEvent;

function reportOf(run: Run, fault: ReportFault = FAULT, masks: readonly string[] = []) {
  const [row] = brokenReportRows(run, [told(fault)], createRedactor(masks));
  const report: BrokenReport = JSON.parse(row?.json ?? 'null');
  return report;
}

test.each([
  [{ name: 'Run the tests', run: 'make' }, 'Run the tests'],
  [{ uses: 'cypress/cypress@v1' }, 'cypress/cypress@v1'],
  [{ run: '\nnpm test\nnpm run more' }, 'npm test'],
  [{ run: '' }, null],
])('a broken report of step %j has the name of its job, and %j', (step, expected) => {
  expect(reportOf(runWith(step))).toEqual({ job: 'unit', step: expected, ...FAULT });
});

test('what the run masks is in no name of a step', () => {
  const run = runWith({ name: 'Log in with hunter22' });
  expect(reportOf(run, FAULT, ['hunter22']).step).not.toContain('hunter22');
});

test('a broken report of no job that is known is kept without a place', () => {
  expect(reportOf(emptyRun)).toEqual({ job: null, step: null, ...FAULT });
});

test('long names and problems are cut', () => {
  const long = 'x'.repeat(5000);
  const report = reportOf(runWith({ name: long }), { ...FAULT, file: long, problem: long });
  expect([report.step?.length, report.file.length, report.problem.length]).toEqual([200, 200, 500]);
});

test('a notification about no attachment, or without a fault, tells of no report', () => {
  const redactor = createRedactor([]);
  const other = { ...told(FAULT), spec: { logs: ['x'] } };
  expect(brokenReportRows(emptyRun, [told(FAULT, []), other], redactor)).toEqual([]);
});
