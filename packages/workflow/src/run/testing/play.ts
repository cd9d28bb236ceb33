/**
 * Plays a run to its end. Environments are free at once, except for jobs on `nowhere`. Scripts do what their first word says. `fail` fails,
 * `hang` never ends by itself, all others succeed; stopped steps end with a failure.
 */
import type { RunEvent } from '@tutti/manifests';
import { isEnded, type Job, type Run } from '../run.ts';
import { given } from './given.ts';
import { type Happening, offer, released, result } from './inputs.ts';

export interface Played {
  /** Results, by key. */
  readonly jobs: Readonly<Record<string, string>>;
  /** Scripts in the order in which they began. */
  readonly ran: readonly string[];
  /** `DONE`, `FAILED`, or `FAILED, cancelled` where somebody asked for it. */
  readonly ends: string;
}

/** Far more than any of these runs needs. */
const TURNS_MAX = 200;
const STOPPED = 143;

/** Stands for a run that waits for its concurrency group. */
const WAITS = 'the run waits';

/** `meanwhile`: what happens once, by what runs then (see `whatRuns`, `WAITS`). */
export function play(...story: Parameters<typeof playOut>): Played {
  const { run, log } = playOut(...story);
  return playedOf(run, log);
}

/** Plays a story; returns the run, too. */
export function playOut(
  begin: Happening,
  meanwhile: Readonly<Record<string, Happening>> = {},
): { readonly run: Run; readonly log: readonly RunEvent[] } {
  const happened: Happening[] = [begin];
  const left = new Map(Object.entries(meanwhile));
  for (let turn = 0; turn < TURNS_MAX; turn += 1) {
    const { run, log } = given(...happened);
    if (isEnded(run)) return { run, log };
    const next = nextOf(run, log, left);
    if (next === null) throw new Error(`The run hangs after ${scriptsOf(log).join(', ')}.`);
    happened.push(next);
  }
  throw new Error(`The run does not end in ${TURNS_MAX} turns.`);
}

function nextOf(
  run: Run,
  log: readonly RunEvent[],
  meanwhile: Map<string, Happening>,
): Happening | null {
  if (!run.granted && run.cancellation === null) return meanwhile.get(WAITS) ?? null;
  for (const job of run.jobs.values()) {
    const what = whatRuns(job, log);
    const event = what === null ? undefined : meanwhile.get(what);
    if (what !== null && event !== undefined) {
      meanwhile.delete(what);
      return event;
    }
  }
  for (const { key, phase, definition } of run.jobs.values()) {
    const isPlaced = phase === 'REQUESTED' && definition['runs-on'] !== 'nowhere';
    if (isPlaced) return offer(key, `channel-of-${key}`);
  }
  for (const job of run.jobs.values()) {
    const next = nextOfJob(job, scriptOf(job, log));
    if (next !== null) return next;
  }
  return null;
}

/** The key of a bundle that waits for its jobs. `call` and the key of a job that waits for a function or a script. */
function whatRuns(job: Job, log: readonly RunEvent[]): string | null {
  if (job.phase === 'GENERATING') return job.key;
  return job.providerCall === null ? scriptOf(job, log) : `call ${job.key}`;
}

function nextOfJob(job: Job, script: string | null): Happening | null {
  const { key, phase, command } = job;
  if (phase === 'RELEASING') return released(key);
  if (command === null || script === null) return null;
  if (command.terminated !== null) return result(key, STOPPED);
  const [does] = script.split(' ');
  return does === 'hang' ? null : result(key, does === 'fail' ? 1 : 0);
}

function scriptOf({ jobId, command }: Job, log: readonly RunEvent[]): string | null {
  if (command === null) return null;
  const found = log.findLast(
    (event) =>
      event.kind === 'ExecutionCommand' &&
      event.metadata.job_id === jobId &&
      event.metadata.step_sequence_id === command.sequence,
  );
  return found?.kind === 'ExecutionCommand' ? (found.scripts[0] ?? null) : null;
}

const scriptsOf = (log: readonly RunEvent[]): readonly string[] =>
  log.flatMap((event) =>
    event.kind === 'ExecutionCommand' && event.metadata.step_sequence_id >= 0
      ? (event.scripts[0] ?? [])
      : [],
  );

function playedOf(run: Run, log: readonly RunEvent[]): Played {
  const last = log.at(-1);
  const isAsked = last?.kind === 'WorkflowCanceled' && last.details.status === 'cancelled';
  return {
    jobs: Object.fromEntries([...run.jobs].map(([key, job]) => [key, job.result ?? 'none'])),
    ran: scriptsOf(log),
    ends: `${run.phase}${isAsked ? ', cancelled' : ''}`,
  };
}
