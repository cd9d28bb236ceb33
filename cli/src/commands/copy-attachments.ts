/** `tutti attachments copy`: one attachment to a file, or all that fit into folders of jobs and steps (clients facts 3.9). */
import { statSync } from 'node:fs';
import { countOf } from '@tutti/manifests';
import type { Attachment } from '../attachments/list-attachments.ts';
import { saveAttachments, type WantedFile } from '../attachments/save-attachments.ts';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { isLikeId } from '../runs/workflow-id.ts';
import { workflowRef } from '../runs/workflow-ref.ts';
import { asCalled } from '../terminal/command-name.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import { asArgument } from '../terminal/shell-argument.ts';
import { chosenAttachments, noneMessage, printSaved } from './attachments.ts';

export interface CopyOptions extends ConnectionOptions {
  /** Pattern of content types. */
  readonly type?: string | undefined;
  readonly force?: boolean;
  readonly output: string;
}

/** Resolves with the exit code. `words`: see `readWords`. */
export async function copyAttachments(
  words: readonly string[],
  options: CopyOptions,
  io: Io,
): Promise<number> {
  const { workflow, pattern, destination } = readWords(words);
  const { force = false, output } = options;
  const client = await connect(options, io);
  const id = await workflowRef(client, workflow, { what: 'to copy attachments of' }, io);
  const { chosen, all } = await chosenAttachments(client, id, { pattern, type: options.type }, io);
  if (chosen.length === 0) {
    io.complain(`tutti: ${noneMessage(all, id)}\n`);
    return EXIT_CODES.failed;
  }
  const files = isPattern(pattern)
    ? chosen
    : [placedAt(onlyOne(chosen, id, pattern, io), destination)];
  const from = { client, workflowId: id, directory: destination, force };
  const saved = await saveAttachments(from, files, io);
  await printSaved(saved, output, io);
  return saved.every(({ path }) => path !== null) ? EXIT_CODES.done : EXIT_CODES.failed;
}

interface Words {
  /** Undefined means the newest run. */
  readonly workflow: string | undefined;
  readonly pattern: string;
  readonly destination: string;
}

/** `ID PATTERN DESTINATION`, or `ID:PATTERN DESTINATION` as existing clients have it; or without the pattern, or the id. */
function readWords(words: readonly string[]): Words {
  const [first = '', second, third, ...more] = words;
  if (second === undefined || more.length > 0) {
    throw new UsageError(
      `Not what can be copied, and where to: ${words.map(asArgument).join(' ')}.`,
      'write ID PATTERN DESTINATION, or ID:PATTERN DESTINATION; patterns stand in quotes, as in "*.xml".',
    );
  }
  if (third !== undefined) return { workflow: first, pattern: second, destination: third };
  const [, id, named] = /^([\da-f-]+):(.+)$/is.exec(first) ?? [];
  if (id !== undefined && named !== undefined) {
    return { workflow: id, pattern: named, destination: second };
  }
  return isLikeId(first)
    ? { workflow: first, pattern: '*', destination: second }
    : { workflow: undefined, pattern: first, destination: second };
}

const isPattern = (text: string): boolean => /[*?[]/.test(text);

/** Refuses several attachments for one file: the choice would be a guess. */
function onlyOne(
  chosen: readonly Attachment[],
  workflowId: string,
  name: string,
  { command }: Io,
): Attachment {
  const [only, ...others] = chosen;
  if (only !== undefined && others.length === 0) return only;
  const all = `tutti attachments copy ${workflowId} ${asArgument(`${name}*`)} DIRECTORY`;
  const ids = `tutti attachments ${workflowId} ${asArgument(name)}`;
  throw new UsageError(
    `${countOf(chosen.length, 'attachment')} of workflow ${workflowId} are called "${name}".`,
    asCalled(`name one by its id ("${ids}" shows these), or copy them all: "${all}".`, command),
  );
}

/** A file goes into an existing directory, or one that ends with a slash. Otherwise the destination is its name. */
function placedAt(file: Attachment, destination: string): Attachment & WantedFile {
  const isFolder = statSync(destination, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder || /[/\\]$/.test(destination)) return { ...file, folder: [] };
  return { ...file, at: destination };
}
