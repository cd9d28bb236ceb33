/**
 * The documents of the agent protocol, version `tutti.v1`: what our own agent and its server exchange beyond what existing
 * agents do (wire facts part 4).
 */
import { isUuid, OrchestratorError } from '@tutti/manifests';
import { stringAt, valueAt } from './json-values.ts';
import { BATCHES_UNDER_WAY_MAX } from './limits.ts';

export const AGENT_PROTOCOL = 'tutti.v1';

/** Write a script, then run a command line that runs it. */
export interface RunCommand {
  readonly kind: 'run';
  readonly commandId: string;
  /** Of the script; relative to the script path. */
  readonly filename: string;
  /** Of the script; written as it is, in UTF-8. */
  readonly content: string;
  readonly command: string;
  /** The command line as a program and its arguments, to be started without a shell in between; null where there is none. */
  readonly words: readonly [string, ...string[]] | null;
  /** The file whose lines go into the result; null when there is none to read. */
  readonly variablesPath: string | null;
  /** The name of a directory below the workspace directory that the script makes if it is missing; null for none. */
  readonly directory: string | null;
  /**
   * The directory that the job works in from this command on, by a path that is relative to the workspace directory; null where that
   * stays what it was, at first the one that is named after the job.
   */
  readonly workspace: string | null;
  /** Batches of output that the server takes at a time; older servers take one after the other. */
  readonly batchesUnderWay: number;
  /** Set when the script does nothing but remove these; it is for who cannot remove them without it. */
  readonly removal: Removal | null;
}

export interface Removal {
  /** Below the workspace directory. */
  readonly directory: string;
  /** Names of files in the script directory: how they begin, and how they end. */
  readonly prefix: string;
  readonly suffix: string;
}

/** End the command: its result is posted as usual. */
export interface CancelCommand {
  readonly kind: 'cancel';
  readonly commandId: string;
}

/** Send a file to the server; a relative path is below the workspace directory. */
export interface GetCommand {
  readonly kind: 'get';
  readonly fileId: string;
  readonly path: string;
}

/** Fetch a file from the server. */
export interface PutCommand {
  readonly kind: 'put';
  readonly fileId: string;
  readonly path: string;
  readonly below: 'script-path' | 'workspace';
}

export type AgentCommand = RunCommand | CancelCommand | GetCommand | PutCommand;

export type OutputStream = 'stdout' | 'stderr';

/** Consecutive lines of one stream, without line ends. */
export interface OutputLines {
  readonly stream: OutputStream;
  readonly lines: readonly string[];
  /** The last line is a piece of a long one, which goes on with the next line of the stream. */
  readonly open?: true;
  /** The last line has no line end, and nothing comes after it. */
  readonly cut?: true;
}

/** The same in a post: of several lines one text, with a line feed between them. A server reads it ten times as fast as a list of short lines. */
export interface PostedLines extends Omit<OutputLines, 'lines'> {
  readonly lines: string | readonly string[];
}

/** Servers take the end of a line before a line feed for a part of it, so that lines with carriage returns stay a list. */
export function postedLines({ lines, ...output }: OutputLines): PostedLines {
  const text = lines.join('\n');
  return { ...output, lines: lines.length === 1 || text.includes('\r') ? lines : text };
}

/** How a command ended. */
export interface CommandResult {
  /** 128 + n for a command that signal n ended. */
  readonly exit_status: number;
  /** The lines of the variables file; null when the command has none or it is not there. */
  readonly variables: readonly string[] | null;
}

/** One POST of output; the last one of a command carries its result, and says that the answer may have the next command. */
export type OutputBatch = {
  readonly command_id: string;
  /** From 0 for each command. */
  readonly sequence: number;
  /** The first of the batches that are under way now; absent where the server takes one after the other. */
  readonly oldest?: number;
  readonly output: readonly PostedLines[];
} & ((CommandResult & { readonly next: true }) | Record<never, never>);

/** Parses the `details` of an answer to a poll or to a result; throws `Invalid` saying what is wrong. */
export function parseAgentCommand(details: unknown): AgentCommand {
  const kind = stringAt(details, 'kind');
  switch (kind) {
    case 'run':
      return parseRun(details);
    case 'cancel':
      return { kind, commandId: requiredText(details, 'command_id') };
    case 'get':
      return { kind, fileId: fileIdOf(details), path: requiredText(details, 'path') };
    case 'put':
      return parsePut(details);
    default:
      throw new OrchestratorError('Invalid', `Unknown kind of command: ${JSON.stringify(kind)}.`);
  }
}

function parseRun(details: unknown): RunCommand {
  return {
    kind: 'run',
    commandId: requiredText(details, 'command_id'),
    filename: requiredText(details, 'filename'),
    content: stringAt(details, 'content') ?? '',
    command: requiredText(details, 'command'),
    words: wordsOf(details),
    variablesPath: stringAt(details, 'variables_path') || null,
    directory: directoryOf(details),
    workspace: stringAt(details, 'workspace') || null,
    batchesUnderWay: batchesUnderWayOf(details),
    removal: removalOf(details),
  };
}

function batchesUnderWayOf(details: unknown): number {
  const value = valueAt(details, 'batches_under_way');
  return typeof value === 'number' && Number.isInteger(value) && value > 1
    ? Math.min(value, BATCHES_UNDER_WAY_MAX)
    : 1;
}

const directoryOf = (details: unknown): string | null =>
  valueAt(details, 'directory') === undefined ? null : fileName(requiredText(details, 'directory'));

/** Each name is that of something right in its directory, so that nothing else can be meant. */
function removalOf(details: unknown): Removal | null {
  const value = valueAt(details, 'removal');
  if (value === undefined) return null;
  const name = (key: keyof Removal) => fileName(requiredText(value, key));
  return { directory: name('directory'), prefix: name('prefix'), suffix: name('suffix') };
}

function fileName(text: string): string {
  if (!/[/\\]|^\.{1,2}$/.test(text)) return text;
  throw new OrchestratorError('Invalid', `Not the name of a file or directory: ${text}.`);
}

function wordsOf(details: unknown): RunCommand['words'] {
  const value = valueAt(details, 'words');
  if (value === undefined) return null;
  const words = Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [];
  const [program, ...args] = words;
  if (program && Array.isArray(value) && words.length === value.length) return [program, ...args];
  throw new OrchestratorError('Invalid', 'The words of the command are no list of texts.');
}

function parsePut(details: unknown): PutCommand {
  return {
    kind: 'put',
    fileId: fileIdOf(details),
    path: requiredText(details, 'path'),
    // Any value but an empty one means the workspace (wire facts 4.3).
    below: valueAt(details, 'root') ? 'workspace' : 'script-path',
  };
}

function fileIdOf(details: unknown): string {
  const text = requiredText(details, 'file_id');
  if (!isUuid(text)) throw new OrchestratorError('Invalid', `Not a valid file id: ${text}.`);
  return text;
}

function requiredText(details: unknown, name: string): string {
  const text = stringAt(details, name);
  if (text) return text;
  throw new OrchestratorError('Invalid', `The command lacks its ${name}.`);
}
