/** Steps that are judged by their tests, once their commands ended. */
import { type AttachmentId, reportTypeOf, type StepTests } from '@tutti/manifests';
import { testResultsWorkerId } from './report-readers.ts';
import {
  attemptOf,
  type Frame,
  type IdentifiedStep,
  isCanceled,
  type Job,
  type ProviderFrame,
  type Run,
} from './run.ts';

export interface JudgedStep {
  readonly step: IdentifiedStep & { readonly tests: StepTests };
  /** The steps that took its place: all of them ended. */
  readonly frame: Frame;
  readonly call: ProviderFrame;
}

/** Null for a job whose current step is not judged, or still at work. Jobs that stop wait for no judge. */
export function judgedStep(job: Job): JudgedStep | null {
  const [own, frame, ...inner] = job.frames;
  if (own === undefined || frame === undefined || inner.length > 0) return null;
  if (job.command !== null || job.providerCall !== null || isCanceled(job)) return null;
  const step = own.steps[own.next];
  if (step?.tests === undefined || frame.provider === null) return null;
  if (frame.next < frame.steps.length) return null;
  return { step: { ...step, tests: step.tests }, frame, call: frame.provider };
}

/** The attachments of each attempt of the step so far. */
export function attachmentsOfAttempts(
  { attachments, judging }: Job,
  { step }: JudgedStep,
): readonly (readonly AttachmentId[])[] {
  const attempts = Array.from({ length: judging?.attempt ?? 1 }, (): AttachmentId[] => []);
  for (const [id, origin] of attachments) {
    if (origin.stepId === step.id) attempts[attemptOf(origin) - 1]?.push(id);
  }
  return attempts;
}

/** Whether all reports of the newest attempt were read, as far as they could be. */
export function areReportsRead({ workers }: Run, job: Job, judged: JudgedStep): boolean {
  const newest = attachmentsOfAttempts(job, judged).at(-1) ?? [];
  return newest.every((id) => {
    const type = job.attachments.get(id)?.type ?? null;
    const report = type === null ? null : reportTypeOf(type);
    return report === null || !workers.has(testResultsWorkerId(id, report.format));
  });
}
