/** Follows a run on the screen until it ends, then sums it up. */
import type { Client, QualityGateStatus } from '@tutti/client';
import type { LoggedEvent } from '@tutti/manifests';
import { formatDuration } from '@tutti/run-view/text';
import { isMasking } from '@tutti/workflow/facts';
import type { ViewOptions } from '../options/view-options.ts';
import { besides, type Presenter } from '../run-view/presenter.ts';
import { collectTestCases } from '../runs/collect-test-cases.ts';
import { createFoldedWriter } from '../runs/environments-elsewhere.ts';
import { notOverText } from '../runs/not-over.ts';
import { complainOf } from '../runs/report-warnings.ts';
import { type Io, SIGNAL_EXIT_CODES, type StopSignal } from '../terminal/io.ts';
import { problemOf, renderProblem } from '../terminal/problem.ts';
import { TIMER_MS_MAX } from '../terminal/timer-limit.ts';
import { openPresenter } from './open-presenter.ts';

export interface FollowRunOptions extends ViewOptions {
  /** This process runs the workflow, and ends it when it leaves. */
  readonly isHere?: boolean | undefined;
  /** Address of the server, which has a page for the run. Absent for runs of this machine. */
  readonly server?: string | undefined;
  /** Aborted where files of the run have changed: it is canceled. */
  readonly outdated?: AbortSignal | undefined;
  /** Timeout of the run, in milliseconds. */
  readonly timeout?: number | undefined;
  readonly cancelOnTimeout?: boolean | undefined;
  /** The effect of a request to stop; by default `cancelThenLeave`. */
  readonly interrupt?: Interrupt | undefined;
}

/** `presenter` is null before it is open. */
export type Interrupt = (signal: StopSignal, presenter: Presenter | null) => void;

/**
 * Shows a run until its end. Resolves with its status, or with null after the timeout, which is reported while the run goes on. By default,
 * the first request to stop cancels the run and follows it to its end. A second one leaves at once.
 */
export async function followRun(
  client: Client,
  workflowId: string,
  options: FollowRunOptions,
  io: Io,
): Promise<'DONE' | 'FAILED' | null> {
  const run: FollowedRun = { client, workflowId, presenting: openPresenter(options, io), io };
  let presenter: Presenter | null = null;
  const canceling = cancelThenLeave(run, options);
  const interrupt = options.interrupt ?? canceling.interrupt;
  // Registered before any wait: an unhandled signal ends the process.
  const stopListening = io.onStop((signal) => interrupt(signal, presenter));
  presenter = await run.presenting;
  const limit = startLimit(run, presenter, options);
  try {
    const status = await showEvents(run, presenter, limit.signal);
    limit.clear();
    await sumUp(run, presenter, { status, options, canceledHere: canceling.why() });
    // A run that succeeded was almost too late, so its success counts.
    return limit.isOver() && status === 'FAILED' ? null : status;
  } catch (error) {
    if (options.timeout === undefined || !limit.signal.aborted) throw error;
    presenter.close();
    io.complain(notOverText(workflowId, options.timeout, io));
    return null;
  } finally {
    limit.clear();
    canceling.end();
    stopListening();
    presenter.close();
  }
}

interface FollowedRun {
  readonly client: Client;
  readonly workflowId: string;
  readonly presenting: Promise<Presenter>;
  readonly io: Io;
}

/** Its signal is aborted at the timeout, unless the run is canceled then. */
function startLimit(
  { client, workflowId, io }: FollowedRun,
  presenter: Presenter,
  { timeout, cancelOnTimeout = false }: FollowRunOptions,
) {
  const over = new AbortController();
  let isOver = false;
  const end = (timeoutMs: number) => {
    isOver = true;
    if (!cancelOnTimeout) {
      over.abort();
      return;
    }
    const took = `took longer than ${formatDuration(timeoutMs)}`;
    const complain = (text: string) => besides(presenter, () => io.complain(text));
    complain(`tutti: Workflow ${workflowId} ${took}, and is canceled.\n`);
    client.cancel(workflowId, { reason: `It ${took}.`, source: 'tutti run' }).catch((error) => {
      complain(renderProblem(problemOf(error), io.command));
    });
  };
  const timer =
    timeout === undefined
      ? undefined
      : setTimeout(() => end(timeout), Math.min(timeout, TIMER_MS_MAX));
  return { signal: over.signal, isOver: () => isOver, clear: () => clearTimeout(timer) };
}

interface Outcome {
  readonly status: 'DONE' | 'FAILED';
  readonly options: FollowRunOptions;
  /** As in the summary. */
  readonly canceledHere: string | null;
}

async function sumUp(
  { client, workflowId, io }: FollowedRun,
  presenter: Presenter,
  { status, options, canceledHere }: Outcome,
): Promise<void> {
  const { warnings, ...results } = await collectResults(client, workflowId);
  presenter.close();
  const { jobDepth, hints, server } = options;
  const mayBeMissing = warnings.length > 0;
  const { view } = presenter;
  const ended = { view, status, ...results, mayBeMissing, jobDepth, canceledHere, server };
  presenter.sumUp(ended, hints === false ? null : io.command);
  complainOf(warnings, io);
}

async function collectResults(client: Client, workflowId: string) {
  const collected = await collectTestCases(client, workflowId, { untilComplete: true });
  const { items: testCases, isComplete, warnings } = collected;
  // Without tests a gate has no answer.
  const gate = testCases.length === 0 ? null : await gateOf(client, workflowId);
  return { testCases, isComplete, warnings, gate };
}

/** Null if the server has no such gate, or does not answer. */
async function gateOf(client: Client, workflowId: string): Promise<QualityGateStatus | null> {
  try {
    return await client.qualitygate(workflowId, { mode: 'strict', takenOver: true });
  } catch {
    return null;
  }
}

async function showEvents(
  { client, workflowId }: FollowedRun,
  presenter: Presenter,
  signal: AbortSignal,
): Promise<'DONE' | 'FAILED'> {
  let shown = 0;
  const over = new AbortController();
  const lookElsewhere = createFoldedWriter(client, presenter.say, over.signal);
  try {
    for await (const item of client.watch(workflowId, { signal })) {
      if (item.type === 'end') return item.status;
      if (item.type === 'connection') {
        presenter.say(CONNECTION_SENTENCES[item.phase]);
        continue;
      }
      // From here on the server masks texts that earlier events had.
      if (isMasking(item.event)) {
        presenter.startAgain(await eventsBefore(client, workflowId, shown));
      }
      presenter.event(item.event);
      lookElsewhere(item.event);
      shown += 1;
      if (shown === 1) void printExpected(client, presenter, over.signal);
    }
  } finally {
    over.abort();
  }
  throw new Error('The stream of events ended before the run.');
}

const CONNECTION_SENTENCES = {
  lost: 'The server cannot be reached; the run goes on without us, trying again …',
  back: 'The server is back.',
} as const;

/** Runs in the background. */
async function printExpected(
  client: Client,
  presenter: Presenter,
  signal: AbortSignal,
): Promise<void> {
  if (presenter.expect === undefined) return;
  const { expectedTimes } = await import('./expected-times.ts');
  const times = await expectedTimes(client, presenter.view, signal);
  if (times !== null && !signal.aborted) presenter.expect(times);
}

/** The first events of a run, as the server shows them now. */
async function eventsBefore(
  client: Client,
  workflowId: string,
  count: number,
): Promise<readonly LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  if (count === 0) return events;
  for await (const item of client.watch(workflowId)) {
    if (item.type === 'event') events.push(item.event);
    if (events.length === count) break;
  }
  return events;
}

interface StopTexts {
  readonly canceling: string;
  readonly left: (workflowId: string) => string;
}

const STOPPED_THERE: StopTexts = {
  canceling: 'Asking the server to cancel the workflow; once more leaves at once.',
  left: (workflowId) => `Left; workflow ${workflowId} may still be ending.`,
};
const STOPPED_HERE: StopTexts = {
  canceling: 'Canceling the workflow; once more ends all that it runs at once.',
  left: (workflowId) => `Ended what workflow ${workflowId} still ran.`,
};

const OUTDATED = 'Files changed: the workflow is canceled, to run again.';

/** The default effect of `options.outdated` and of requests to stop. */
function cancelThenLeave(
  { client, workflowId, presenting, io }: FollowedRun,
  { isHere, outdated }: FollowRunOptions,
) {
  const texts = isHere === true ? STOPPED_HERE : STOPPED_THERE;
  let isCanceling = false;
  const cancel = async (text: string, reason: string) => {
    const say = async (said: string) => (await presenting).say(said);
    void say(text);
    await client.cancel(workflowId, { reason, source: 'tutti run' }).catch((error) => {
      void say(renderProblem(problemOf(error), io.command).trimEnd());
    });
  };
  let isOutdated = false;
  const cancelOutdated = () => {
    isOutdated = true;
    void cancel(OUTDATED, 'Files changed.');
  };
  if (outdated?.aborted === true) cancelOutdated();
  outdated?.addEventListener('abort', cancelOutdated, { once: true });
  const interrupt: Interrupt = (signal, presenter) => {
    if (isCanceling) {
      presenter?.close();
      io.complain(`${texts.left(workflowId)}\n`);
      io.exit(SIGNAL_EXIT_CODES[signal]);
      return;
    }
    isCanceling = true;
    void cancel(texts.canceling, 'Interrupted.');
  };
  return {
    interrupt,
    why: () => (isCanceling ? 'by you' : isOutdated ? 'as files changed' : null),
    end: () => outdated?.removeEventListener('abort', cancelOutdated),
  };
}
