/** The next event of a judged step: it asks its judge, runs again, or ends. */
import type { RunEvent } from '@tutti/manifests';
import { epochMs } from './deadlines.ts';
import { endCall } from './end-call.ts';
import type { RunEvents } from './events.ts';
import { areReportsRead, attachmentsOfAttempts, type JudgedStep } from './judged-step.ts';
import { callAgain } from './next-step-event.ts';
import type { Job, Run } from './run.ts';
import { sentenceSubject } from './step-place.ts';

interface JudgedCall {
  readonly run: Run;
  readonly job: Job;
  readonly judged: JudgedStep;
}

/** Null while reports are read, the judge is asked, or the next attempt has to wait. */
export function nextJudgedEvent(ended: JudgedCall, events: RunEvents): RunEvent | null {
  const { run, job, judged } = ended;
  const asked = job.judging?.ended ?? null;
  if (asked === null) {
    const isRead = areReportsRead(run, job, judged);
    return isRead ? events.testsCommand(job, judged, attachmentsOfAttempts(job, judged)) : null;
  }
  const verdict = asked.answer?.verdict ?? null;
  if (verdict === null) return null;
  if (verdict !== 'retry')
    return endCall({ run, job, frame: judged.frame }, events, { outcome: verdict });
  return asked.deadlineMs <= epochMs(events.at) ? runAgain(ended, events) : null;
}

/** A deadline of the step has passed: its own, that of its judge, or the delay before the next attempt. */
export function judgedOverdue(
  call: JudgedCall,
  events: RunEvents,
  isOwnPassed: boolean,
): RunEvent | null {
  const { run, job, judged } = call;
  const subject = sentenceSubject(
    job,
    job.frames[0] ?? judged.frame,
    judged.step,
    judged.call.name,
  );
  if (isOwnPassed) {
    const logs = [`ERROR,${subject} stopped: it ran longer than its timeout-minutes.`];
    return endCall({ run, job, frame: judged.frame }, events, { outcome: 'failure', logs });
  }
  const ended = job.judging?.ended ?? null;
  if (ended !== null && ended.answer !== null) return runAgain(call, events);
  const what = ended === null ? 'its reports were not read' : 'nobody judged its tests';
  const logs = [`WARNING,${subject} was judged by its exit code: ${what} within a minute.`];
  return endCall({ run, job, frame: judged.frame }, events, { logs });
}

function runAgain({ run, job, judged: { step, call } }: JudgedCall, events: RunEvents): RunEvent {
  const { attempt = 1, ended } = job.judging ?? {};
  const before = { ...job, frames: job.frames.slice(0, -1) };
  return callAgain(
    { run, job: before, step, events },
    {
      attempt: attempt + 1,
      selection: ended?.answer?.selection ?? [],
      deadlineMs: call.deadlineMs,
    },
  );
}
