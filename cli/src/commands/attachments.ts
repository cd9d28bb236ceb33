/** `tutti attachments`: the files that the steps of a run attached, as a list or as files (clients facts 3.8 and 3.9). */
import { isUuid } from '@tutti/manifests';
import { createNamePattern } from '@tutti/selectors';
import { type Attachment, listAttachments } from '../attachments/list-attachments.ts';
import { type SavedFile, saveAttachments } from '../attachments/save-attachments.ts';
import { type ConnectionOptions, connect } from '../connection.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { type Column, type ListFormat, printList } from '../item-list.ts';
import { newestRun } from '../newest-run.ts';
import { countOf } from '../run-view/style.ts';
import { checkWorkflowId } from '../workflow-id.ts';

export interface AttachmentsOptions extends ConnectionOptions {
  /** Pattern of content types. */
  readonly type?: string | undefined;
  /** Path of a directory; absent, nothing is saved. */
  readonly saveTo?: string | undefined;
  readonly force?: boolean;
  readonly output: ListFormat;
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

/** Resolves with the exit code. `pattern` is of file names, or an id; without an id of a run it is about the one that was started last. */
export async function showAttachments(
  workflowId: string | undefined,
  pattern: string | undefined,
  options: AttachmentsOptions,
  io: Io,
): Promise<number> {
  if (workflowId !== undefined) checkWorkflowId(workflowId);
  const { saveTo: directory, force = false, output } = options;
  const client = await connect(options, io);
  const id = workflowId ?? (await newestRun(client, 'to show attachments of', io));
  const { status, attachments } = await listAttachments(client, id);
  const isOver = status === 'DONE' || status === 'FAILED';
  if (!isOver) io.complain('tutti: The run goes on: there may be more attachments later.\n');
  const chosen = attachments.filter(choice(pattern, options.type));
  if (chosen.length === 0) return noneFound(attachments.length, directory, output, io);
  if (directory === undefined) {
    await printList(COLUMNS, { items: chosen.map((one) => itemOf(one)) }, output, io);
    return EXIT_CODES.done;
  }
  const saved = await saveAttachments(client, id, chosen, { directory, force }, io);
  await printSaved(saved, output, io);
  return saved.every(({ path }) => path !== null) ? EXIT_CODES.done : EXIT_CODES.failed;
}

function choice(pattern = '*', type = '*'): (attachment: Attachment) => boolean {
  const isName = createNamePattern(pattern);
  const isType = createNamePattern(type);
  return ({ fileName, uuid, type: own }) =>
    isType(own) && (isName(fileName) || (isUuid(pattern) && pattern === uuid));
}

async function noneFound(
  all: number,
  directory: string | undefined,
  output: ListFormat,
  io: Io,
): Promise<number> {
  const told =
    all === 0 ? 'There are no attachments.' : `None of ${countOf(all, 'attachment')} fits.`;
  if (directory !== undefined) {
    io.complain(`tutti: ${told}\n`);
    return EXIT_CODES.failed;
  }
  if (output === 'json' || output === 'yaml') await printList(COLUMNS, { items: [] }, output, io);
  else io.screen.write(`${told}\n`);
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

async function printSaved(
  saved: readonly SavedFile<Attachment>[],
  output: ListFormat,
  io: Io,
): Promise<void> {
  const items = saved.map((one) => ({ ...itemOf(one), saved_as: one.path }));
  await printList([{ key: 'saved_as' }, ...COLUMNS.map(wide)], { items }, output, io);
}

/** Whoever saves files wants to know where they are; the rest is for those who ask. */
const wide = (column: Column): Column => ({ ...column, isWide: column.key !== 'uuid' });
