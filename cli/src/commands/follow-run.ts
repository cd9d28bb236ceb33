/** Follows a run on the screen until it ends, then sums it up. */
import type { Client } from '@tutti/client';
import type { LoggedEvent } from '@tutti/manifests';
import { type Io, SIGNAL_EXIT_CODES, type StopSignal } from '../io.ts';
import { problemOf, renderProblem } from '../problem.ts';
import { complainOf } from '../report-warnings.ts';
import { createPresenter, type Presenter } from '../run-view/presenter.ts';
import { summaryLines } from '../run-view/summary.ts';
import { collectTestCases } from './collect-test-cases.ts';

/**
 * Resolves with the status of the run. A first request to stop cancels the run and goes on following it to its end; a second
 * one leaves at once. `hasHints`: the summary says what can be done next.
 */
export async function followRun(
  client: Client,
  workflowId: string,
  io: Io,
  hasHints = true,
): Promise<'DONE' | 'FAILED'> {
  const presenter = createPresenter(io.screen, () => io.now());
  const stopTicking = io.screen.isTerminal ? io.onTick(() => presenter.tick()) : () => {};
  const stopListening = io.onStop(cancelThenLeave(client, workflowId, io, presenter));
  try {
    const status = await showEvents(client, workflowId, presenter);
    const { items, isComplete, warnings } = await collectTestCases(client, workflowId, {
      untilComplete: true,
    });
    presenter.close();
    const mayBeMissing = warnings.length > 0;
    const ended = { view: presenter.view, status, testCases: items, isComplete, mayBeMissing };
    const command = hasHints ? io.command : null;
    io.screen.write(`${summaryLines(ended, io.screen.paint, command).join('\n')}\n`);
    complainOf(warnings, io);
    return status;
  } finally {
    stopListening();
    stopTicking();
    presenter.close();
  }
}

async function showEvents(
  client: Client,
  workflowId: string,
  presenter: Presenter,
): Promise<'DONE' | 'FAILED'> {
  let shown = 0;
  for await (const item of client.watch(workflowId)) {
    switch (item.type) {
      case 'event':
        if (tellsMasks(item.event)) {
          presenter.startAgain(await eventsBefore(client, workflowId, shown));
        }
        presenter.event(item.event);
        shown += 1;
        break;
      case 'connection':
        presenter.say(
          item.phase === 'lost'
            ? 'The server cannot be reached; the run goes on without us, trying again …'
            : 'The server is back.',
        );
        break;
      case 'end':
        return item.status;
    }
  }
  throw new Error('The run was followed, and its end was not told.');
}

/** From here on the server masks texts that earlier events had. */
const tellsMasks = ({ metadata }: LoggedEvent): boolean => metadata['tutti.masked'] === true;

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

function cancelThenLeave(client: Client, workflowId: string, io: Io, presenter: Presenter) {
  let isCanceling = false;
  return (signal: StopSignal): void => {
    if (isCanceling) {
      presenter.close();
      io.complain(`Left; workflow ${workflowId} may still be ending.\n`);
      io.exit(SIGNAL_EXIT_CODES[signal]);
      return;
    }
    isCanceling = true;
    presenter.say('Asking the server to cancel the workflow; once more leaves at once.');
    client.cancel(workflowId, { reason: 'Interrupted.', source: 'tutti run' }).catch((error) => {
      presenter.say(renderProblem(problemOf(error), io.command).trimEnd());
    });
  };
}
