/** Builds the log of some steps from events: the server's text does not name the step of a line. */
import type { Client } from '@tutti/client';
import { type EventMetadata, isRunEvent, type JobId, type LoggedEvent } from '@tutti/manifests';
import { emptyRunView, jobOf, reduceRunView } from '@tutti/run-view';
import { createNamePattern } from '@tutti/selectors';
import { renderEvent } from '@tutti/workflow/execution-log';

/** The form of the server's own log, with the steps' output. */
const OPTIONS = {
  stepDepth: 0,
  jobDepth: 0,
  maxCommandLength: 0,
  showsAttachments: false,
  showsNotifications: false,
  showsDebugging: false,
  outputPrefix: null,
} as const satisfies Parameters<typeof renderEvent>[1];

/** Text in the form of the execution log, piece by piece. `pattern` chooses steps by their names, functions, commands or ids. */
export async function* stepLog(
  client: Client,
  workflowId: string,
  pattern: string,
  { follow, signal }: { readonly follow: boolean; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<string, void, undefined> {
  const isOfStep = createStepTest(pattern);
  for await (const event of follow
    ? eventsAsTheyCome(client, workflowId, signal)
    : eventsSoFar(client, workflowId)) {
    const text = isOfStep(event) ? renderEvent(event, OPTIONS) : '';
    if (text !== '') yield text;
  }
}

async function* eventsSoFar(client: Client, workflowId: string): AsyncGenerator<LoggedEvent> {
  for await (const { events } of client.eventPages(workflowId)) yield* events;
}

async function* eventsAsTheyCome(
  client: Client,
  workflowId: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<LoggedEvent> {
  for await (const item of client.watch(workflowId, { signal }))
    if (item.type === 'event') yield item.event;
}

/** Must be called for all events, in order. */
function createStepTest(pattern: string): (event: LoggedEvent) => boolean {
  const isName = createNamePattern(pattern);
  let view = emptyRunView;
  return (event) => {
    view = reduceRunView(view, event);
    if (!isRunEvent(event)) return false;
    const { metadata }: { readonly metadata: EventMetadata } = event;
    // An id of another kind finds no job.
    const job = jobOf(view, metadata.job_id as JobId | undefined);
    const outermost = [metadata.step_origin, metadata.step_id]
      .flat()
      .find((id) => typeof id === 'string');
    if (job === null || outermost === undefined) return false;
    const label = view.labels.get(`${job.key}/${outermost}`)?.text ?? '';
    return isName(outermost) || (label !== '' && isName(label));
  };
}
