/** What is said once a run has ended. */
import type { TestCase } from '@tutti/client';
import type { FailedStep, JobView } from './job-view.ts';
import { verbOf } from './lines.ts';
import type { RunView } from './run-view.ts';
import { cleanLine, cleanOutput, formatDuration, type Paint, type Style } from './style.ts';
import { judge, testTable, verdictLine } from './test-report.ts';

export interface Ended {
  readonly view: RunView;
  readonly status: 'DONE' | 'FAILED';
  readonly testCases: readonly TestCase[];
  /** False when the server still collected test results as they were asked for. */
  readonly isComplete: boolean;
  /** There are reports that could not be read whole. */
  readonly mayBeMissing: boolean;
}

/**
 * The lines of the summary, sections set apart by empty ones. `command` is how hints name commands; null for a summary without
 * hints.
 */
export function summaryLines(
  ended: Ended,
  paint: Paint,
  command: string | null,
): readonly string[] {
  const { view, testCases } = ended;
  const jobs = [...view.jobs.values()];
  const sections = [
    jobTable(jobs, paint),
    failureLines(view, jobs, paint),
    testTable(testCases, paint),
    [
      ...(ended.isComplete ? [] : ['The server still collects test results; these are not all.']),
      verdictLine(judge(ended.status === 'DONE', testCases), paint, ended.mayBeMissing),
    ],
    command === null ? [] : nextSteps(ended, jobs, command),
  ];
  return sections.filter((section) => section.length > 0).flatMap((section) => ['', ...section]);
}

const RESULT_STYLES: Readonly<Record<NonNullable<JobView['result']>, Style>> = {
  success: 'green',
  failure: 'red',
  cancelled: 'yellow',
  skipped: 'dim',
};

/** One row for each job: name, result, duration. */
export function jobTable(jobs: readonly JobView[], paint: Paint): readonly string[] {
  if (jobs.length === 0) return [];
  const width = Math.max(...jobs.map(({ name }) => name.length));
  const rows = jobs.map((job) => {
    const result = job.result === null ? job.phase.toLowerCase() : verbOf(job);
    const style = job.result === null ? 'dim' : RESULT_STYLES[job.result];
    const duration =
      job.startedAt === null || job.endedAt === null
        ? ''
        : formatDuration(job.endedAt - job.startedAt);
    return `  ${job.name.padEnd(width)}  ${paint(style, result.padEnd(9))}  ${duration}`.trimEnd();
  });
  return [paint('bold', 'Jobs'), ...rows];
}

function failureLines(view: RunView, jobs: readonly JobView[], paint: Paint): readonly string[] {
  const errors = [
    ...view.errors.map((error) => `  ${cleanOutput(error, false)}`),
    ...jobs.flatMap(({ name, errors: own }) =>
      own.map((error) => `  ${name}: ${cleanOutput(error, false)}`),
    ),
    ...reasonsOf(jobs),
  ];
  const steps = failuresOf(jobs).flatMap(({ job, step }) => stepLines(job, step, paint));
  if (errors.length + steps.length === 0) return [];
  return [paint('bold', 'What failed'), ...errors.map((line) => paint('red', line)), ...steps];
}

interface Failure {
  readonly job: JobView;
  readonly step: FailedStep;
}

/** The first one first. What was stopped is told only where nothing failed by itself: it was stopped for what did. */
function failuresOf(jobs: readonly JobView[]): readonly Failure[] {
  const failures = jobs
    .filter(hasNotSucceeded)
    .flatMap((job) => job.failed.map((step) => ({ job, step })))
    .toSorted((left, right) => left.step.endedAt - right.step.endedAt);
  const causes = failures.filter(({ step }) => step.terminated !== 'canceled');
  return causes.length === 0 ? failures : causes;
}

/** A job may succeed over a failed step, when a provider forgives those that it put in. */
const hasNotSucceeded = ({ result }: JobView): boolean => result !== 'success';

/** That a bundle failed is only told where nothing in it tells why. */
function reasonsOf(jobs: readonly JobView[]): readonly string[] {
  const ended = jobs.filter(({ result }) => result === 'failure' || result === 'cancelled');
  const tellsWhy = ({ why, failed, errors }: JobView) =>
    why !== null || failed.length + errors.length > 0;
  return ended.flatMap((job) => {
    const isTold =
      job.result === 'failure' &&
      ended.some((inner) => inner.key.startsWith(`${job.key}/`) && tellsWhy(inner));
    if (job.why === null || isTold) return [];
    // The sentence names the job as it is called within its bundle.
    const path = job.key.includes('/') ? `${job.name}: ` : '';
    return [`  ${path}${cleanLine(job.why)}`];
  });
}

function stepLines(job: JobView, step: FailedStep, paint: Paint): readonly string[] {
  const why =
    step.terminated === null
      ? `exit code ${step.exitCode}`
      : step.terminated === 'timeout'
        ? 'it took too long'
        : 'it was stopped';
  const time = formatDuration(step.endedAt - step.startedAt);
  return [
    `  ${job.name} ▸ ${cleanLine(step.label)}: ${paint('red', why)} after ${time}`,
    ...step.lastLines.map((line) => paint('dim', `    │ ${cleanOutput(line, false)}`)),
  ];
}

function nextSteps(
  { view, status }: Ended,
  jobs: readonly JobView[],
  command: string,
): readonly string[] {
  const id = view.workflowId;
  if (status === 'DONE') return [`See it again: ${command} status ${id}`];
  const unplaced = jobs.find((job) => job.startedAt === null && job.waiting !== null);
  if (unplaced?.waiting != null) {
    return [cleanLine(unplaced.waiting), `See which environments there are: ${command} agents`];
  }
  return [`See what happened, step by step: ${command} status ${id} --log`];
}
