/** The state of a run for its followers, folded from its events. */
export { describeHelp } from '@tutti/workflow/waiting-help';
export { cutCommand, isTooDeep } from './bounds.ts';
export { type Failure, failuresOf } from './failures.ts';
export { jobTimeMs, wholeJobTimeMs } from './job-time.ts';
export {
  bundleText,
  type JobTree,
  jobTree,
  shownStep,
  standIn,
  type TreeNode,
} from './job-tree.ts';
export type { EndedStep, JobResult, JobView } from './job-view.ts';
export { leveledText } from './leveled-text.ts';
export type { Line, Tone } from './line.ts';
export { lineOf, linesOf, verbOf } from './lines.ts';
export { type Mark, markOf, thinned } from './marks.ts';
export { type Fold, Moments } from './moments.ts';
export {
  durationOf,
  type JobPair,
  type RunDifferences,
  runDifferences,
} from './run-differences.ts';
export {
  DOCUMENT_LIMITS,
  type DocumentOptions,
  type RunDocument,
  runDocument,
  type TestNumbers,
} from './run-document.ts';
export {
  emptyRunStory,
  type FileStory,
  type RunStory,
  reduceRunStory,
} from './run-story.ts';
export {
  emptyRunView,
  jobOf,
  LAST_LINES_MAX,
  labelOf,
  type RunView,
  reduceRunView,
} from './run-view.ts';
export { subjectIn } from './subject-in.ts';
export { testText } from './test-tally.ts';
export { waitingReason, waitingText } from './waiting-text.ts';
