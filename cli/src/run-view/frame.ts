/**
 * Draws the area below the log of a running run: its progress, and a tree of active and waiting jobs. The tree shows as many jobs
 * as fit. It is a pure function of run, time and terminal size.
 */
import { countOf } from '@tutti/manifests';
import {
  bundleText,
  type EndedStep,
  type JobTree,
  type JobView,
  jobTimeMs,
  jobTree,
  type RunView,
  shownStep,
  type TreeNode,
  testText,
  waitingText,
} from '@tutti/run-view';
import { cleanLine, formatSeconds } from '@tutti/run-view/text';
import { type Paint, widthOf } from '../terminal/style.ts';
import { type FrameLine, frameLine, type Piece } from './frame-line.ts';

/** Duration of an earlier run in milliseconds: in total, and of each job by its key. */
export interface ExpectedTimes {
  readonly totalMs: number | null;
  readonly jobs: ReadonlyMap<string, number>;
}

export interface FrameLook {
  readonly nowMs: number;
  readonly columns: number;
  readonly rows: number;
  readonly paint: Paint;
  /** Null if no earlier run is known. */
  readonly expected: ExpectedTimes | null;
  /** As in `Display`. */
  readonly jobDepth?: number;
  readonly stepDepth?: number;
}

/** Half of the terminal is for the log, unless that leaves fewer rows than this. */
const ROWS_MIN = 6;
const NAME_WIDTH_MAX = 24;

/** The lines of the live area: at most one less than the terminal has, each narrower than the terminal. */
export function frameOf(view: RunView, look: FrameLook): readonly FrameLine[] {
  if (view.workflowId === '') return [];
  const rowsMax = Math.min(look.rows - 2, Math.max(ROWS_MIN, Math.floor(look.rows / 2)));
  const head = [
    headline(view, look),
    ...(view.waiting === null
      ? []
      : [[{ text: cleanLine(view.waiting), style: 'yellow' } as const]]),
  ];
  const tree = jobTree(view, rowsMax - head.length, look.jobDepth);
  const more = moreLine(tree);
  const spare = rowsMax - head.length - tree.nodes.length - more.length;
  const lines = [...head, ...treeLines(view, tree, Math.max(0, spare), look), ...more];
  return lines
    .slice(0, Math.max(1, rowsMax))
    .map((pieces) => frameLine(pieces, look.columns - 1, look.paint));
}

type Pieces = readonly Piece[];

function headline(view: RunView, { nowMs, expected }: FrameLook): Pieces {
  const jobs = [...view.jobs.values()].filter(({ isBundle }) => !isBundle);
  const ended = jobs.filter(({ phase }) => phase === 'ENDED');
  const failed = ended.filter(({ result }) => result === 'failure').length;
  const tests = testText(view.tests.tally.counts);
  const time = timeText(nowMs - (view.startedAt ?? nowMs), expected?.totalMs);
  return [
    { text: `${ended.length} of ${countOf(jobs.length, 'job')} done`, style: 'bold' },
    ...(failed > 0 ? [{ text: ` · ${failed} failed`, style: 'red' } as const] : []),
    { text: ` · ${time}` },
    ...(tests === '' ? [] : [{ text: ` · ${tests}` }]),
  ];
}

/** `12 s`, or `12 s of about 40 s`. */
function timeText(elapsedMs: number, expectedMs: number | null | undefined): string {
  const elapsed = formatSeconds(Math.max(0, elapsedMs));
  if (expectedMs === null || expectedMs === undefined) return elapsed;
  return `${elapsed} of about ${formatSeconds(Math.max(1000, expectedMs))}`;
}

function moreLine({ hiddenRunning, hiddenWaiting }: JobTree): readonly Pieces[] {
  const total = hiddenRunning + hiddenWaiting;
  if (total === 0) return [];
  const [one, many] = hiddenRunning > 0 ? ['runs', 'run'] : ['waits', 'wait'];
  const first = `${countOf(hiddenRunning || hiddenWaiting, 'more job')} ${total === 1 ? one : many}`;
  const also = hiddenRunning > 0 && hiddenWaiting > 0 ? `, ${hiddenWaiting} wait` : '';
  return [[{ text: `… and ${first}${also}`, style: 'dim' }]];
}

function treeLines(
  view: RunView,
  { nodes }: JobTree,
  spare: number,
  look: FrameLook,
): readonly Pieces[] {
  const endedSteps = endedStepsOf(nodes, spare);
  const names = nodes.map(({ name, depth }) => widthOf(name) + 2 * depth);
  const widest = Math.min(NAME_WIDTH_MAX, Math.floor(look.columns / 3));
  const width = Math.min(widest, Math.max(0, ...names));
  return nodes.flatMap((node) => {
    const indent = ' '.repeat(2 * node.depth + 4);
    const steps = endedSteps.get(node.job.key) ?? [];
    return [nodeLine(view, node, width, look), ...steps.map((step) => endedLine(step, indent))];
  });
}

/** The last ended steps of each running job by its key, as far as they fit. The log above shows output. */
function endedStepsOf(
  nodes: readonly TreeNode[],
  spare: number,
): ReadonlyMap<string, readonly EndedStep[]> {
  const running = nodes.filter(({ job }) => job.phase === 'RUNNING' && !job.isBundle);
  let left = spare;
  const steps = running.map(({ job }, index) => {
    const shown = last(job.ended, Math.floor(left / (running.length - index)));
    left -= shown.length;
    return [job.key, shown] as const;
  });
  return new Map(steps);
}

const last = <T>(list: readonly T[], count: number): readonly T[] =>
  count <= 0 ? [] : list.slice(-count);

const ENDED_LOOKS = {
  SUCCEEDED: ['✓', 'green', 'succeeded'],
  FAILED: ['✗', 'red', 'failed'],
  FORGIVEN: ['!', 'yellow', 'failed (allowed)'],
  SKIPPED: ['·', 'dim', 'skipped'],
  OVER: ['·', 'dim', 'over'],
} as const;

function endedLine({ label, state, durationMs }: EndedStep, indent: string): Pieces {
  const [mark, style, word] = ENDED_LOOKS[state];
  const time = durationMs === null ? '' : ` after ${formatSeconds(durationMs)}`;
  return [{ text: `${indent}${mark} `, style }, { text: `${cleanLine(label)} ${word}${time}` }];
}

function nodeLine(
  view: RunView,
  { job, depth, name }: TreeNode,
  width: number,
  look: FrameLook,
): Pieces {
  const indent = '  '.repeat(depth);
  const padding = ' '.repeat(Math.max(0, width - widthOf(name) - 2 * depth));
  const [mark, style, phaseText] = job.isBundle
    ? (['▾', undefined, bundleText(view, job)] as const)
    : job.phase === 'RUNNING'
      ? (['●', 'cyan', runningText(job, look)] as const)
      : (['○', 'dim', waitingText(view, job)] as const);
  return [
    { text: `${indent}${mark} `, style },
    { text: `${name}${padding}`, style: job.phase === 'RUNNING' ? 'bold' : undefined },
    { text: `  ${phaseText}`, style: job.phase === 'WAITING' ? 'yellow' : undefined },
  ];
}

/** `running 12 s of about 40 s · 3 tests ▸ Run the tests 4 s`. */
function runningText(job: JobView, { nowMs, expected, stepDepth = 0 }: FrameLook): string {
  const timeMs = jobTimeMs(job, nowMs);
  const time = timeMs === null ? '' : ` ${timeText(timeMs, expected?.jobs.get(job.key))}`;
  const tests = testText(job.tests);
  const step = shownStep(job, stepDepth);
  const doing =
    step === null ? '' : `  ▸ ${cleanLine(step.label)} ${formatSeconds(nowMs - step.startedAt)}`;
  return `running${time}${tests === '' ? '' : ` · ${tests}`}${doing}`;
}
