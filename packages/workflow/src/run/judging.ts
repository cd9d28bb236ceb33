/** Folds the questions to the judge of a step, and the answers. */
import type { TestsResultEvent } from '@tutti/manifests';
import type { FactOf } from '../facts/fact.ts';
import { epochMs, JUDGING_MS } from './deadlines.ts';
import { judgedStep } from './judged-step.ts';
import { type Job, type Judging, jobById, type Run } from './run.ts';

const FIRST: Judging = { attempt: 1, retried: new Set(), ended: null };

export const judgingAfter = (job: Job, fact: FactOf<'TestsAsked' | 'TestsJudged'>): Job =>
  fact.type === 'TestsAsked' ? testsAsked(job, fact) : testsJudged(job, fact);

function testsAsked(job: Job, { event }: FactOf<'TestsAsked'>): Job {
  const deadlineMs = epochMs(event.metadata.creationTimestamp) + JUDGING_MS;
  return { ...job, judging: { ...(job.judging ?? FIRST), ended: { deadlineMs, answer: null } } };
}

function testsJudged(job: Job, { event }: FactOf<'TestsJudged'>): Job {
  const judged = judgedStep(job);
  if (judged === null || job.judging?.ended == null) return job;
  const delaySeconds = judged.step.tests.retry?.['delay-seconds'] ?? 0;
  const deadlineMs = epochMs(event.metadata.creationTimestamp) + delaySeconds * 1000;
  return { ...job, judging: { ...job.judging, ended: { deadlineMs, answer: event } } };
}

/** Whether this answer is about the attempt that was asked about. */
export function isJudgeAwaited(run: Run, { metadata }: TestsResultEvent): boolean {
  const job = jobById(run, metadata.job_id);
  const judged = job === null ? null : judgedStep(job);
  const ended = job?.judging?.ended ?? null;
  return judged?.step.id === metadata.step_id && ended !== null && ended.answer === null;
}
