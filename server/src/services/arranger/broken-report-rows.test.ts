import type {
  AttachmentId,
  BrokenReport,
  ExecutionResultEvent,
  JobId,
  MissingReports,
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
const INNER = '44444444-0000-0000-0000-000000000000' as StepId;
const JOB = '55555555-0000-0000-0000-000000000000' as JobId;
const AT = '2026-01-31T12:00:00.000000' as Timestamp;
const FAULT = { file: 'a.xml', problem: 'It cannot be read.', testCases: 3, isCut: true };

function runWith(step: Partial<WorkflowStep>): Run {
  const steps = [{ run: '', ...step, id: STEP }];
  const attachments = new Map([[REPORT, { stepId: STEP, type: null, at: AT, order: 0 }]]);
  const job: Pick<Job, 'jobId' | 'name' | 'definition' | 'attachments'> = {
    jobId: JOB,
    name: 'unit',
    definition: { 'runs-on': 'linux', steps },
    attachments,
  };
  // The fields that the function reads.
  return { ...emptyRun, jobs: new Map([['unit', job as Job]]), jobKeys: new Map([[JOB, 'unit']]) };
}

const shownBy = (fault: ReportFault, attachment: readonly AttachmentId[] = [REPORT]) =>
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
    spec: { logs: [], ...{ 'tutti.broken-report': fault } },
  }) satisfies NotificationEvent;

function reportOf(run: Run, fault: ReportFault = FAULT, masks: readonly string[] = []) {
  const [row] = brokenReportRows(run, [shownBy(fault)], createRedactor(masks));
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

test('a step without a name is called by the beginning of its script, of which no masked text is left', () => {
  const command = `${'x'.repeat(54)} hunter22 and more`;
  expect(reportOf(runWith({ run: command })).step).toBe(`${command.slice(0, 59)}…`);
  expect(reportOf(runWith({ run: command }), FAULT, ['hunter22']).step).toBe(
    `${'x'.repeat(54)} *** …`,
  );
});

test('masked text is in no name of a step', () => {
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

test('a notification without an attachment, or without a fault, adds no report', () => {
  const redactor = createRedactor([]);
  const other = { ...shownBy(FAULT), spec: { logs: ['x'] } };
  expect(brokenReportRows(emptyRun, [shownBy(FAULT, []), other], redactor)).toEqual([]);
});

const result = (missing: unknown) =>
  ({
    apiVersion: 'opentestfactory.org/v1alpha1',
    kind: 'ExecutionResult',
    metadata: {
      name: 'result',
      workflow_id: 'w' as WorkflowId,
      job_id: JOB,
      job_origin: [],
      namespace: 'default',
      creationTimestamp: AT,
      step_id: INNER,
      step_origin: [STEP],
      step_sequence_id: 0,
      // Other plugins may publish anything.
      'tutti.missing-reports': missing as readonly MissingReports[],
    },
    status: 2,
  }) satisfies ExecutionResultEvent;

const rowsOf = (missing: unknown) =>
  brokenReportRows(runWith({ name: 'Test' }), [result(missing)], createRedactor([])).map(
    ({ attachmentId, json }) => [attachmentId, JSON.parse(json)],
  );

test('reports that did not arrive are kept once for each reason, with their job and the step of the workflow', () => {
  const place = { job: 'unit', step: 'Test', testCases: 0, isCut: true };
  const many = { file: 'a.xml', count: 476, problem: 'P.' };
  const one = { file: 'x'.repeat(5000), count: 1, problem: 'Q.' };
  expect(rowsOf([many, one])).toEqual([
    [`${INNER}/0`, { ...place, ...many }],
    [`${INNER}/1`, { ...place, file: `${'x'.repeat(199)}…`, problem: 'Q.' }],
  ]);
});

test.each<[unknown]>([
  [undefined],
  ['a.xml'],
  [[null, 'a.xml', { file: 'a.xml' }, { file: 'a.xml', count: 0, problem: 'P.' }]],
])('a result with %j adds no report', (missing) => {
  expect(rowsOf(missing)).toEqual([]);
});
