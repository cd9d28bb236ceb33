/** Prints a run for programs: its events as the server sends them, one a line, then the result. */
import {
  emptyRunView,
  type Failure,
  failuresOf,
  type JobResult,
  type RunView,
  reduceRunView,
} from '@tutti/run-view';
import type { Io } from '../terminal/io.ts';
import type { Presenter } from './presenter.ts';
import type { Ended } from './summary.ts';
import { judge } from './test-report.ts';

/** The record of a started run, which precedes its events. */
export const startedRecord = (workflowId: string, isDryRun: boolean) => ({
  kind: isDryRun ? 'RunValid' : 'RunStarted',
  workflow_id: workflowId,
});

/** Limit of listed failures. */
const FAILURES_MAX = 100;

export function createJsonPresenter({
  screen,
  complain,
}: Pick<Io, 'screen' | 'complain'>): Presenter {
  const print = (document: object) => screen.write(`${JSON.stringify(document)}\n`);
  let view = emptyRunView;
  return {
    get view() {
      return view;
    },
    event(event) {
      view = reduceRunView(view, event);
      print(event);
    },
    startAgain(events) {
      view = events.reduce(reduceRunView, emptyRunView);
    },
    say: (text) => complain(`${text}\n`),
    tick() {},
    close() {},
    sumUp: (ended) => print(endedRecord(ended)),
  };
}

/** The last line. */
function endedRecord({ view, status, testCases, isComplete, gate }: Ended) {
  const { passed, failed, skipped } = judge(status === 'DONE', testCases);
  return {
    kind: 'RunEnded',
    workflow_id: view.workflowId,
    name: view.name,
    namespace: view.namespace,
    status,
    canceled: view.phase === 'CANCELED',
    canceled_by: view.canceledBy,
    reason: view.reason,
    duration:
      view.startedAt === null || view.endedAt === null ? null : view.endedAt - view.startedAt,
    jobs: jobCounts(view),
    tests: { total: testCases.length, passed, failed, skipped, complete: isComplete },
    quality_gate: gate ?? null,
    attachments: view.files.attachments,
    reports: view.files.reports,
    failures: failuresOf(view).slice(0, FAILURES_MAX).map(failureRecord),
  };
}

function jobCounts({ jobs }: RunView) {
  const all = [...jobs.values()].filter(({ isBundle }) => !isBundle);
  const count = (wanted: JobResult) => all.filter(({ result }) => result === wanted).length;
  return {
    total: all.length,
    succeeded: count('success'),
    failed: count('failure'),
    canceled: count('cancelled'),
    skipped: count('skipped'),
  };
}

const failureRecord = ({ job, step, message }: Failure) => ({
  job: job?.name ?? null,
  step: step?.label ?? null,
  message,
  exit_code: step?.exitCode ?? null,
  line: step?.lineCount ?? null,
});
