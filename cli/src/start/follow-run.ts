/** Follows a run on the screen until it ends, then sums it up. */
import type { Client, QualityGateStatus } from '@tutti/client';
import type { LoggedEvent } from '@tutti/manifests';
import { isMasking } from '@tutti/workflow/facts';
import type { ViewOptions } from '../options/view-options.ts';
import type { Presenter } from '../run-view/presenter.ts';
import { collectTestCases } from '../runs/collect-test-cases.ts';
import { complainOf } from '../runs/report-warnings.ts';
import { type Io, SIGNAL_EXIT_CODES, type StopSignal } from '../terminal/io.ts';
import { problemOf, renderProblem } from '../terminal/problem.ts';
import { openPresenter } from './open-presenter.ts';

export interface FollowRunOptions extends ViewOptions {
  /** The process that follows it carries it out, and ends what it runs when it leaves. */
  readonly isHere?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Aborted where what runs has changed: the request to stop that comes with it is of nobody. */
  readonly outdated?: AbortSignal | undefined;
  readonly onOpening?: (opening: Opening) => void;
  /** Called as soon as the end is known; results may still be read. */
  readonly onEnd?: () => void;
}

/** What is shown, as soon as it is. */
export interface Opening {
  readonly presenting: Promise<Presenter>;
  /** Null before. */
  presenter: Presenter | null;
}

/** What a request to stop does. */
export type Interrupt = (signal: StopSignal, opening: Opening) => void;

/**
 * Resolves with the status of the run. Unless `interrupt` does something else, a first request to stop cancels the run and goes on following
 * it to its end, and a second one leaves at once. Rejects when the signal gives it up; the run goes on.
 */
export async function followRun(
  client: Client,
  workflowId: string,
  io: Io,
  { signal, outdated, onOpening, onEnd, ...options }: FollowRunOptions = {},
  interrupt?: Interrupt,
): Promise<'DONE' | 'FAILED'> {
  const opening: Opening = { presenting: openPresenter(options, io), presenter: null };
  onOpening?.(opening);
  // Before anything is waited for: a signal that nobody hears ends the process.
  const texts = options.isHere === true ? STOPPED_HERE : STOPPED_THERE;
  const onStop = interrupt ?? cancelThenLeave({ client, workflowId, texts, outdated }, io);
  const stopListening = io.onStop((stop) => onStop(stop, opening));
  const presenter = await opening.presenting;
  opening.presenter = presenter;
  try {
    const status = await showEvents(client, workflowId, presenter, signal);
    onEnd?.();
    const { warnings, ...results } = await collectResults(client, workflowId);
    presenter.close();
    const { view } = presenter;
    const { jobDepth } = options;
    const mayBeMissing = warnings.length > 0;
    const ended = { view, status, ...results, mayBeMissing, jobDepth };
    presenter.sumUp(ended, options.hints === false ? null : io.command);
    complainOf(warnings, io);
    return status;
  } finally {
    stopListening();
    presenter.close();
  }
}

async function collectResults(client: Client, workflowId: string) {
  const collected = await collectTestCases(client, workflowId, { untilComplete: true });
  const { items: testCases, isComplete, warnings } = collected;
  // Without tests a gate has nothing to say.
  const gate = testCases.length === 0 ? null : await gateOf(client, workflowId);
  return { testCases, isComplete, warnings, gate };
}

/** Null where the server has no such gate, or does not tell. */
async function gateOf(client: Client, workflowId: string): Promise<QualityGateStatus | null> {
  try {
    return await client.qualitygate(workflowId, { mode: 'strict', takenOver: true });
  } catch {
    return null;
  }
}

async function showEvents(
  client: Client,
  workflowId: string,
  presenter: Presenter,
  signal: AbortSignal | undefined,
): Promise<'DONE' | 'FAILED'> {
  let shown = 0;
  const over = new AbortController();
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
      shown += 1;
      if (shown === 1) void tellExpected(client, presenter, over.signal);
    }
  } finally {
    over.abort();
  }
  throw new Error('The run was followed, and its end was not told.');
}

const CONNECTION_SENTENCES = {
  lost: 'The server cannot be reached; the run goes on without us, trying again …',
  back: 'The server is back.',
} as const;

/** In the background: nobody waits for it. */
async function tellExpected(
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

interface Followed {
  readonly client: Client;
  readonly workflowId: string;
  readonly texts: StopTexts;
  readonly outdated: AbortSignal | undefined;
}

const OUTDATED = 'Files changed: the workflow is canceled, to run again.';

function cancelThenLeave({ client, workflowId, texts, outdated }: Followed, io: Io): Interrupt {
  let isOutdated = false;
  let isCanceling = false;
  const cancel = async (text: string, reason: string, presenting: Promise<Presenter>) => {
    const say = async (said: string) => (await presenting).say(said);
    void say(text);
    await client.cancel(workflowId, { reason, source: 'tutti run' }).catch((error) => {
      void say(renderProblem(problemOf(error), io.command).trimEnd());
    });
  };
  return (signal, { presenting, presenter }) => {
    if (outdated?.aborted === true && !isOutdated) {
      isOutdated = true;
      void cancel(OUTDATED, 'Files changed.', presenting);
      return;
    }
    if (isCanceling) {
      presenter?.close();
      io.complain(`${texts.left(workflowId)}\n`);
      io.exit(SIGNAL_EXIT_CODES[signal]);
      return;
    }
    isCanceling = true;
    void cancel(texts.canceling, 'Interrupted.', presenting);
  };
}
