/** The text at the end of a run. */
import type { QualityGateStatus, TestCase } from '@tutti/client';
import { countOf } from '@tutti/manifests';
import {
  type Failure,
  failuresOf,
  isTooDeep,
  type JobView,
  LAST_LINES_MAX,
  leveledText,
  type RunView,
  verbOf,
  wholeJobTimeMs,
} from '@tutti/run-view';
import { cleanLine, cleanOutput, formatDuration, lastState } from '@tutti/run-view/text';
import { asArgument } from '../terminal/shell-argument.ts';
import { type Paint, type Style, widthOf } from '../terminal/style.ts';
import { failedTestLines } from './failed-tests.ts';
import {
  durationText,
  isFailed,
  judge,
  shownName,
  type Verdict,
  verdictLine,
} from './test-report.ts';

export interface Ended {
  readonly view: RunView;
  readonly status: 'DONE' | 'FAILED';
  readonly testCases: readonly TestCase[];
  /** False if the server was still collecting test results. */
  readonly isComplete: boolean;
  /** True if some reports are incomplete. */
  readonly mayBeMissing: boolean;
  /** Answer of the server's gate `strict`; absent if it was not asked. */
  readonly gate?: QualityGateStatus | null;
  /** Why this command canceled the run, as in `by you`; null if it did not. */
  readonly canceledHere?: string | null;
  /** See `Display`. */
  readonly jobDepth?: number | undefined;
  /** Address of the server, which has a page for the run; absent for runs of this machine. */
  readonly server?: string | undefined;
}

type Section = readonly string[];

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
  const failures = failuresOf(view);
  const sections: readonly Section[] = [
    jobTable(jobs, paint, ended.jobDepth),
    ...failureSections(failures, view.phase === 'CANCELED', paint),
    slowestLines(testCases, paint),
    failedTestLines(testCases, command === null ? null : failedCommand(view, command), paint),
    [
      ...(ended.isComplete ? [] : ['The server still collects test results; these are not all.']),
      verdictLine(verdictOf(ended), paint, ended.mayBeMissing),
      ...gateLines(ended),
    ],
    command === null ? [] : nextSteps(ended, failures, command),
  ];
  return sections.filter((section) => section.length > 0).flatMap((section) => ['', ...section]);
}

function verdictOf({ view, status, testCases, canceledHere = null }: Ended): Verdict {
  const verdict = judge(status === 'DONE', testCases);
  if (view.phase !== 'CANCELED') return verdict;
  if (canceledHere !== null) return { ...verdict, canceled: canceledHere };
  const why = view.reason === null ? '' : `: ${view.reason}`;
  const canceled = cleanLine(`by ${view.canceledBy ?? 'the server'}${why}`);
  return { ...verdict, canceled: canceled.replace(/\.$/, '') };
}

const failedCommand = ({ workflowId }: RunView, command: string): string =>
  `${command} testcases ${workflowId} --outcome failure,error`;

const RESULT_STYLES: Readonly<Record<NonNullable<JobView['result']>, Style>> = {
  success: 'green',
  failure: 'red',
  cancelled: 'yellow',
  skipped: 'dim',
};

/** Rows of the table of jobs. */
export const LISTED_JOBS_MAX = 100;

/** One row for each listed job (`jobDepth` 0: all): name, result, duration. With very many jobs, failed ones come first. */
export function jobTable(all: readonly JobView[], paint: Paint, jobDepth = 0): readonly string[] {
  const jobs = all.filter((job) => isListed(job, jobDepth));
  if (jobs.length === 0) return [];
  const listed = listedJobs(jobs);
  const hidden = jobs.length - listed.size;
  const shown = jobs.filter((job) => listed.has(job));
  const width = Math.max(...shown.map(({ name }) => widthOf(name)));
  return [
    paint('bold', 'Jobs'),
    ...shown.map((job) => jobRow(job, width, paint)),
    ...(hidden > 0 ? [paint('dim', `  … and ${countOf(hidden, 'more job')}`)] : []),
  ];
}

/** A job that did not succeed is listed, however deep it is. */
function isListed({ key, result }: JobView, jobDepth: number): boolean {
  return result === 'failure' || !isTooDeep(key.split('/').length - 1, jobDepth);
}

function listedJobs(jobs: readonly JobView[]): ReadonlySet<JobView> {
  const succeeded = jobs.filter(({ result }) => result === 'success');
  const others = jobs.filter(({ result }) => result !== 'success');
  return new Set([...others, ...succeeded].slice(0, LISTED_JOBS_MAX));
}

function jobRow(job: JobView, width: number, paint: Paint): string {
  const result = job.result === null ? job.phase.toLowerCase() : verbOf(job);
  const style = job.result === null ? 'dim' : RESULT_STYLES[job.result];
  const timeMs = wholeJobTimeMs(job);
  const duration = timeMs === null ? '' : formatDuration(timeMs);
  const name = `${job.name}${' '.repeat(width - widthOf(job.name))}`;
  return `  ${name}  ${paint(style, result.padEnd(9))}  ${duration}`.trimEnd();
}

/** Limits for the failures behind the first one: their number, and lines of output of each. */
const OTHERS_MAX = 20;
const OTHERS_LINES_MAX = 5;

/** The first failure is the likely cause of the others, so it stands alone. */
function failureSections(
  failures: readonly Failure[],
  isCanceled: boolean,
  paint: Paint,
): readonly Section[] {
  const [first, ...others] = failures;
  if (first === undefined) return [];
  if (isCanceled && failures.every(({ isStopped }) => isStopped)) {
    const shown = failures.slice(0, OTHERS_MAX);
    const lines = shown.flatMap((failure) => failureLines(failure, OTHERS_LINES_MAX, paint));
    return [[paint('bold', 'What was stopped'), ...lines]];
  }
  const title = others.length === 0 ? 'What failed' : 'What failed first';
  const firstSection = [paint('bold', title), ...failureLines(first, LAST_LINES_MAX, paint)];
  if (others.length === 0) return [firstSection];
  const shown = others.slice(0, OTHERS_MAX);
  const hidden = others.length - shown.length;
  return [
    firstSection,
    [
      paint('bold', 'What failed after it'),
      ...shown.flatMap((failure) => failureLines(failure, OTHERS_LINES_MAX, paint)),
      ...(hidden > 0 ? [paint('dim', `  … and ${countOf(hidden, 'more failure')}`)] : []),
    ],
  ];
}

/** `job ▸ step: exit code 1 after 2.0 s, at line 214 of its output`, with the end of that output. */
function failureLines(
  { place, message, step }: Failure,
  linesMax: number,
  paint: Paint,
): readonly string[] {
  const about = place === '' ? '' : `${place}: `;
  if (step === null) return [paint('red', `  ${about}${message}`)];
  const where = step.lineCount === 0 ? '' : `, at line ${step.lineCount} of its output`;
  return [
    `  ${about}${paint('red', message)}${where}`,
    ...step.lastLines
      .slice(-linesMax)
      .map((line) =>
        paint('dim', `    │ ${cleanOutput(lastState(leveledText(line).text), false)}`),
      ),
  ];
}

/** A few test cases need no ranking. */
const RANKED_MIN = 10;
const SLOWEST_MAX = 5;

function slowestLines(testCases: readonly TestCase[], paint: Paint): Section {
  if (testCases.length < RANKED_MIN) return [];
  const timed = testCases.flatMap(({ metadata: { name }, execution: { duration } }) =>
    duration === undefined || duration <= 0
      ? []
      : [{ name, time: durationText(duration), duration }],
  );
  const slowest = timed.toSorted((a, b) => b.duration - a.duration).slice(0, SLOWEST_MAX);
  if (slowest.length === 0) return [];
  const width = Math.max(...slowest.map(({ time }) => time.length));
  const rows = slowest.map(({ name, time }) => `  ${time.padStart(width)}  ${shownName(name)}`);
  return [paint('bold', 'Slowest test cases'), ...rows];
}

const gateLines = ({ gate }: Ended): Section =>
  gate === undefined || gate === null ? [] : [`Quality gate "strict": ${gate}.`];

function nextSteps(ended: Ended, failures: readonly Failure[], command: string): Section {
  return [
    ...causeHints(ended, failures, command),
    ...resultHints(ended, command),
    pageHint(ended, command),
  ];
}

function pageHint({ view: { workflowId }, server }: Ended, command: string): string {
  const place =
    server === undefined ? `${command} ui ${workflowId}` : `${server}/ui/runs/${workflowId}`;
  return `See it in a browser: ${place}`;
}

function causeHints(
  { view, status }: Ended,
  failures: readonly Failure[],
  command: string,
): Section {
  const id = view.workflowId;
  if (status === 'DONE') return [`See it again: ${command} status ${id}`];
  const unplaced = [...view.jobs.values()].find(
    (job) => job.startedAt === null && job.waiting !== null,
  );
  if (unplaced?.waiting != null) {
    return [cleanLine(unplaced.waiting), `See which environments there are: ${command} agents`];
  }
  const all = `See what happened, step by step: ${command} status ${id} --log`;
  const job = failures[0]?.job ?? null;
  if (job === null || job.startedAt === null || job.isBundle) return [all];
  const what = cleanLine(job.name);
  return [`See all that ${what} printed: ${command} logs ${id} --job ${asArgument(job.key)}`, all];
}

/** Commands that show the results of the run. */
function resultHints({ view, testCases }: Ended, command: string): Section {
  const id = view.workflowId;
  const { attachments, folders, reports } = view.files;
  return [
    ...(folders > 0
      ? [`Open the report, with pictures and traces: ${command} report open ${id}`]
      : []),
    ...(reports > 0
      ? [`Save ${countOf(reports, 'report')} on it: ${command} report ${id} --save-to reports`]
      : []),
    ...(attachments > 0
      ? [`See ${countOf(attachments, 'attachment')}: ${command} attachments ${id}`]
      : []),
    ...failedHint(testCases, `${command} testcases ${id}`),
    ...(testCases.length > 0 ? [`See all test cases: ${command} testcases ${id}`] : []),
  ];
}

function failedHint(testCases: readonly TestCase[], command: string): Section {
  const name = testCases.find(isFailed)?.metadata.name;
  const isSayable = name !== undefined && cleanLine(name) === name;
  return isSayable ? [`See all of a failed test: ${command} ${asArgument(name)}`] : [];
}
