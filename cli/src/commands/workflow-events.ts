/** `tutti workflows events`: the events of a run. */
import type { Client, JsonRecord } from '@tutti/client';
import type { LoggedEvent } from '@tutti/manifests';
import { isTooDeep } from '@tutti/run-view';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { type SelectorOptions, selectionOf } from '../options/selector-options.ts';
import { checkLimit } from '../options/time-limit.ts';
import { readOutput } from '../resources/output.ts';
import { printItems } from '../resources/print-items.ts';
import { createRowFormatter } from '../resources/watch-view.ts';
import { createEventListing, type EventListing } from '../runs/event-listing.ts';
import { runEnding } from '../runs/not-over.ts';
import { workflowRef } from '../runs/workflow-ref.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { untilStopped } from '../terminal/until-stopped.ts';

export interface EventsOptions extends ConnectionOptions, SelectorOptions {
  readonly kind?: readonly string[] | undefined;
  readonly follow?: boolean;
  /** With `follow`: milliseconds. */
  readonly timeout?: number | undefined;
  readonly jobDepth?: number | undefined;
  readonly stepDepth?: number | undefined;
  readonly output: string;
}

/** Prints the events of a run, by default of the newest one. Resolves with the exit code. */
export async function showEvents(
  text: string | undefined,
  options: EventsOptions,
  io: Io,
): Promise<number> {
  const output = readOutput(options.output);
  const { follow = false, timeout } = options;
  checkLimit(timeout, '-f', follow);
  const client = await connect(options, io);
  const id = await workflowRef(client, text, { what: 'to show events of' }, io);
  const selection = { ...selectionOf(options), fieldSelector: fieldSelectorOf(options) };
  const rows = createEventListing();
  const isChosen = selection.fieldSelector !== undefined || selection.labelSelector !== undefined;
  const isForPeople = ['table', 'wide'].includes(output.kind);
  if (isChosen && isForPeople) await learnStructure(client, id, rows);
  if (follow) {
    const format = createRowFormatter(rows.listing, output);
    const show = async (event: LoggedEvent) => {
      rows.learn(event);
      if (!isDeepEnough(event, options)) return;
      io.screen.write(await format([asRecord(event)]));
      await io.drained();
    };
    const followed = (signal: AbortSignal) =>
      followEvents(client.watch(id, { ...selection, signal }), show, io);
    return await untilStopped(followed, runEnding(client, id, timeout, io), io);
  }
  const { events } = await readAll(client, id, selection);
  for (const event of events) rows.learn(event);
  const shown = events.filter((event) => isDeepEnough(event, options));
  await printItems(shown.map(asRecord), rows.listing, output, io);
  return EXIT_CODES.done;
}

async function followEvents(
  items: ReturnType<Client['watch']>,
  show: (event: LoggedEvent) => Promise<void>,
  io: Io,
): Promise<void> {
  for await (const item of items) {
    if (item.type === 'connection') io.complain(CONNECTION[item.phase]);
    if (item.type === 'event') await show(item.event);
  }
}

/** An event of a job or step within the shown depth. */
function isDeepEnough(
  { metadata }: LoggedEvent,
  { jobDepth = 0, stepDepth = 0 }: EventsOptions,
): boolean {
  const depthOf = (origin: unknown) => (Array.isArray(origin) ? origin.length : 0);
  const { job_origin: jobs, step_origin: steps } = metadata;
  return !isTooDeep(depthOf(jobs), jobDepth) && !isTooDeep(depthOf(steps), stepDepth);
}

const CONNECTION = {
  lost: 'tutti: The server cannot be reached; trying again.\n',
  back: 'tutti: The server is back.\n',
} as const;

const asRecord = (event: LoggedEvent): JsonRecord => ({ ...event });

function fieldSelectorOf({ kind, fieldSelector }: EventsOptions): string | undefined {
  const kinds = kind === undefined ? [] : [`kind in (${kind.join(',')})`];
  const parts = [...kinds, ...(fieldSelector === undefined ? [] : [fieldSelector])];
  return parts.length === 0 ? undefined : parts.join(',');
}

type Chosen = NonNullable<Parameters<Client['eventPages']>[1]>;

async function readAll(client: Client, workflowId: string, selection: Chosen) {
  const events: LoggedEvent[] = [];
  for await (const page of client.eventPages(workflowId, selection)) events.push(...page.events);
  return { events };
}

/** Fetches the events that name jobs and steps, when the selection lacks them. */
async function learnStructure(client: Client, workflowId: string, rows: EventListing) {
  for (const fieldSelector of [
    'kind in (Workflow,GeneratorResult)',
    'kind=ExecutionCommand,metadata.step_sequence_id=-1',
    'kind=ProviderResult',
  ]) {
    const { events } = await readAll(client, workflowId, { fieldSelector });
    for (const event of events) rows.learn(event);
  }
}
