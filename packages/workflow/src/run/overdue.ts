/** Stops steps, jobs, unanswered functions and runs whose deadline has passed. */
import type { RunEvent } from '@tutti/manifests';
import {
  commandDeadline,
  durationText,
  epochMs,
  jobDeadline,
  judgingDeadline,
  type MovedDeadlines,
  movedDeadline,
} from './deadlines.ts';
import type { RunEvents } from './events.ts';
import { judgedStep } from './judged-step.ts';
import { endUnplaced, endWithoutJobs } from './next-bundle-event.ts';
import { judgedOverdue } from './next-judged-event.ts';
import { isEnded, type Job, type Run, type RunningCommand, topFrame } from './run.ts';
import { sentenceSubject } from './step-place.ts';

export interface PassedTime {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Absent if no deadline moved. */
  readonly moved?: MovedDeadlines;
}

/** Events that follow once a deadline of the run has passed; empty when none has. */
export function overdue(
  run: Run,
  { nowMs, moved = new Map() }: PassedTime,
  events: RunEvents,
): readonly RunEvent[] {
  if (run.phase === 'NONE' || isEnded(run)) return [];
  const passed = (deadlineMs: number | null) =>
    (movedDeadline(deadlineMs, moved) ?? Number.POSITIVE_INFINITY) <= nowMs;
  if (run.cancellation === null && passed(run.deadlineMs)) {
    return [events.timedOut('The workflow took longer than its timeout-minutes.')];
  }
  const due: RunEvent[] = [];
  for (const job of run.jobs.values()) {
    if (passed(jobDeadline(job))) due.push(jobOverdue(run, job, events));
    else if (passed(commandDeadline(job)) && job.command !== null) {
      due.push(...commandOverdue(job, job.command, events));
    } else if (passed(job.providerCall?.deadlineMs ?? null)) {
      due.push(...providerOverdue(job, events));
    } else if (passed(judgingDeadline(job))) {
      due.push(...judgeOverdue(run, job, events, passed));
    }
  }
  return due;
}

function jobOverdue(run: Run, job: Job, events: RunEvents): RunEvent {
  const since = job.startedAt ?? job.requestedAt ?? run.createdAt;
  const limit = durationText((job.deadlineMs ?? 0) - epochMs(since));
  if (job.phase === 'GENERATING') {
    const { generator, uses } = job.definition;
    const who = generator === undefined ? `workflow "${uses}"` : `generator "${generator}"`;
    const why = `${who} gave no answer within ${limit}.`;
    return endWithoutJobs(run, job, why, events);
  }
  return job.phase === 'REQUESTED'
    ? endUnplaced(run, job, `no environment for it within ${limit}.`, events)
    : events.jobTimedOut(job, `Job "${job.name}" canceled: it ran longer than ${limit}.`);
}

function commandOverdue(job: Job, command: RunningCommand, events: RunEvents): readonly RunEvent[] {
  const failure = events.stepTimedOut(job, command, overdueSentence(job, command));
  return [failure, events.terminate(job, command.stepId, 'timeout')];
}

/** Names the step whose own limit has passed: a function step has one limit for all of its steps. */
function overdueSentence(job: Job, command: RunningCommand): string {
  const { deadlineMs } = command;
  const index = job.frames.findIndex(({ provider }) => provider?.deadlineMs === deadlineMs);
  const frame = index > 0 ? job.frames[index - 1] : topFrame(job);
  const { name, startedAt } = (index > 0 ? job.frames[index]?.provider : null) ?? command;
  const step = frame?.steps[frame.next];
  const subject =
    frame && step ? sentenceSubject(job, frame, step, name) : `A step of job "${job.name}"`;
  const limit = durationText((deadlineMs ?? 0) - epochMs(startedAt));
  return `${subject} stopped: it ran longer than ${limit}.`;
}

function judgeOverdue(
  run: Run,
  job: Job,
  events: RunEvents,
  passed: (deadlineMs: number | null) => boolean,
): readonly RunEvent[] {
  const judged = judgedStep(job);
  if (judged === null) return [];
  const event = judgedOverdue({ run, job, judged }, events, passed(judged.call.deadlineMs));
  return event === null ? [] : [event];
}

function providerOverdue(job: Job, events: RunEvents): readonly RunEvent[] {
  const call = job.providerCall;
  if (call === null) return [];
  const state = {
    outcome: 'failure',
    conclusion: call.continueOnError ? 'success' : 'failure',
    outputs: {},
  } as const;
  const log = `ERROR,Function "${call.uses}" gave no answer within the step's timeout-minutes.`;
  return [events.stepEnded(job, call.stepId, state, { logs: [log] })];
}
