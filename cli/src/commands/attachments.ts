/** `tutti attachments`: the files that the steps of a run attached, as a list or as files (client facts 3.8, 3.9). */
import type { Client } from '@tutti/client';
import { countOf, isUuid } from '@tutti/manifests';
import { createNamePattern } from '@tutti/selectors';
import { type Attachment, listAttachments } from '../attachments/list-attachments.ts';
import { type SavedFile, saveAttachments } from '../attachments/save-attachments.ts';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { type Column, printList } from '../resources/item-list.ts';
import { isTable, readOutput } from '../resources/output.ts';
import { isLikeId } from '../runs/workflow-id.ts';
import { workflowRef } from '../runs/workflow-ref.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';

export interface AttachmentsOptions extends ConnectionOptions {
  /** Pattern of content types. */
  readonly type?: string | undefined;
  /** Path of a directory; absent, nothing is saved. */
  readonly saveTo?: string | undefined;
  readonly force?: boolean;
  readonly output: string;
}

const COLUMNS: readonly Column[] = [
  { key: 'job_name' },
  { key: 'step' },
  { key: 'uuid' },
  { key: 'filename' },
  { key: 'testcase' },
  { key: 'channel_os', isWide: true },
  { key: 'type', isWide: true },
  { key: 'created_at', isWide: true },
];

/**
 * Resolves with the exit code. The arguments are the id of a run and a pattern of file names, or the id of a file. Without an id,
 * or with only a pattern, it takes the newest run.
 */
export async function showAttachments(
  first: string | undefined,
  second: string | undefined,
  options: AttachmentsOptions,
  io: Io,
): Promise<number> {
  const { workflowId, pattern } = argumentsOf(first, second);
  const { saveTo: directory, force = false, output } = options;
  const client = await connect(options, io);
  const otherwise =
    pattern === undefined && workflowId !== undefined ? byName(workflowId) : undefined;
  const id = await workflowRef(
    client,
    workflowId,
    { what: 'to show attachments of', otherwise },
    io,
  );
  const { chosen, all } = await chosenAttachments(client, id, { pattern, type: options.type }, io);
  if (chosen.length === 0) return noneFound(noneMessage(all, id), options, io);
  if (directory === undefined) {
    const items = chosen.map((one) => itemOf(one));
    await printList(COLUMNS, { items }, { format: output, idKey: 'uuid' }, io);
    return EXIT_CODES.done;
  }
  const from = { client, workflowId: id, directory, force };
  const saved = await saveAttachments(from, chosen, io);
  await printSaved(saved, output, io);
  return saved.every(({ path }) => path !== null) ? EXIT_CODES.done : EXIT_CODES.failed;
}

interface Choice {
  readonly pattern: string | undefined;
  readonly type: string | undefined;
}

/** The attachments that match, and the number of all. It reports that more may follow. */
export async function chosenAttachments(
  client: Client,
  workflowId: string,
  { pattern, type }: Choice,
  io: Io,
) {
  const { status, attachments } = await listAttachments(client, workflowId);
  const isOver = status === 'DONE' || status === 'FAILED';
  if (!isOver) io.complain('tutti: The run goes on: there may be more attachments later.\n');
  return { chosen: attachments.filter(choice(pattern, type)), all: attachments.length };
}

function choice(pattern = '*', type = '*'): (attachment: Attachment) => boolean {
  const isName = createNamePattern(pattern);
  const isType = createNamePattern(type);
  return ({ fileName, uuid, type: own }) =>
    isType(own) && (isName(fileName) || (isUuid(pattern) && pattern === uuid));
}

interface Arguments {
  readonly workflowId: string | undefined;
  readonly pattern: string | undefined;
}

function argumentsOf(first: string | undefined, second: string | undefined): Arguments {
  if (first === undefined) return { workflowId: undefined, pattern: second };
  const isAlone = second === undefined;
  if (isAlone && !isLikeId(first)) return { workflowId: undefined, pattern: first };
  return { workflowId: first, pattern: second };
}

const byName = (text: string): string =>
  `for files of the workflow that was started last, write a pattern: tutti attachments '${text}*'`;

/** The sentence that says that there are no attachments, or none that match. */
export const noneMessage = (all: number, id: string): string =>
  all === 0
    ? 'There are no attachments.'
    : `None of ${countOf(all, 'attachment')} of workflow ${id} fits.`;

async function noneFound(
  message: string,
  { saveTo: directory, output }: AttachmentsOptions,
  io: Io,
): Promise<number> {
  if (directory !== undefined) {
    io.complain(`tutti: ${message}\n`);
    return EXIT_CODES.failed;
  }
  if (isTable(readOutput(output))) io.complain(`${message}\n`);
  else await printList(COLUMNS, { items: [] }, { format: output, idKey: 'uuid' }, io);
  return EXIT_CODES.done;
}

function itemOf({ job, step, uuid, fileName, testCase, os, type, createdAt }: Attachment) {
  return {
    job_name: job,
    step,
    uuid,
    filename: fileName,
    testcase: testCase,
    channel_os: os,
    type,
    created_at: createdAt,
  };
}

/** Prints the path of each attachment. */
export async function printSaved(
  saved: readonly SavedFile<Attachment>[],
  format: string,
  io: Io,
): Promise<void> {
  const items = saved.map((one) => ({ ...itemOf(one), saved_as: one.path }));
  const columns = [{ key: 'saved_as' }, ...COLUMNS.map(wide)];
  await printList(columns, { items }, { format, idKey: 'saved_as' }, io);
}

/** Users who save files want their paths. The other columns are for `wide`. */
const wide = (column: Column): Column => ({ ...column, isWide: column.key !== 'uuid' });
