/** The one line at the bottom of a terminal that says where a run stands. */
import { countOf } from '@tutti/manifests';
import {
  bundleText,
  type JobView,
  type RunView,
  shownStep,
  standIn,
  testText,
} from '@tutti/run-view';
import { cleanLine, formatSeconds } from '@tutti/run-view/text';
import { cutToWidth } from '../terminal/style.ts';
import { type Display, WHOLE_DISPLAY } from './display.ts';

type Depths = Partial<Pick<Display, 'jobDepth' | 'stepDepth'>>;

/** The line of progress. It is one cell narrower than `columns`, so that it takes one row on every terminal. */
export function progressLine(
  view: RunView,
  nowMs: number,
  columns: number,
  depths: Depths = WHOLE_DISPLAY,
): string {
  // The progress of a bundle is that of its jobs.
  const jobs = [...view.jobs.values()].filter(({ isBundle }) => !isBundle);
  const running = jobs.filter((job) => job.phase === 'RUNNING');
  const waiting = jobs.filter((job) => job.phase === 'WAITING');
  const parts = [
    `${jobs.length - running.length - waiting.length} of ${countOf(jobs.length, 'job')} done`,
    ...(running.length > 0 ? [`${running.length} running`] : []),
    ...(waiting.length > 0 ? [`${waiting.length} waiting`] : []),
    formatSeconds(nowMs - (view.startedAt ?? nowMs)),
    ...testPart(view),
    ...activityPart(view, running, waiting, depths),
  ];
  return cutToWidth(cleanLine(parts.join(' · ')), columns - 1);
}

function testPart({ tests }: RunView): readonly string[] {
  const text = testText(tests.tally.counts);
  return text === '' ? [] : [text];
}

/** The running jobs, or the waiting ones if none runs. */
function activityPart(
  view: RunView,
  running: readonly JobView[],
  waiting: readonly JobView[],
  depths: Depths,
): readonly string[] {
  const active = new Set(running.flatMap((job) => activityOf(view, job, depths)));
  if (active.size > 0) return [[...active].join(', ')];
  const reason = view.waiting ?? waiting.find((job) => job.waiting !== null)?.waiting;
  return reason === null || reason === undefined ? [] : [reason];
}

function activityOf(
  view: RunView,
  job: JobView,
  { jobDepth = 0, stepDepth = 0 }: Depths,
): readonly string[] {
  const shown = standIn(view.jobs, job, jobDepth);
  if (shown !== job) return [`${shown.name}: ${bundleText(view, shown)}`];
  const step = shownStep(job, stepDepth);
  return step === null ? [] : [`${job.name} ▸ ${step.label}`];
}
