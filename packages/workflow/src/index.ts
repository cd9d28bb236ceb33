export { nextDeadline } from './run/deadlines.ts';
export { type Decision, decide, type RunInput } from './run/decide.ts';
export type { DecisionContext } from './run/events.ts';
export { epochMs, evolve } from './run/evolve.ts';
export { extension } from './run/extensions.ts';
export {
  type AttachmentOrigin,
  emptyRun,
  isEnded,
  isLive,
  type Job,
  type JobResult,
  jobById,
  type Run,
} from './run/run.ts';
