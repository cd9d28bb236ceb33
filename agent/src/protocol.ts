/** Reads the orders of the server, whose schemas are those of `@tutti/manifests`. */
import {
  type AgentOrder,
  type ExecOrder,
  isUuid,
  OrchestratorError,
  type OutputBatch,
  type PostedLines,
  type RunOrder,
  type Unread,
} from '@tutti/manifests';
import { entriesOf } from '@tutti/manifests/values';
import { BATCHES_UNDER_WAY_MAX } from './limits.ts';
import type { OutputLines } from './output/output-buffer.ts';

/** What our agent is told: it knows `run`, so nobody tells it to `exec`. */
export type Order = Exclude<AgentOrder, ExecOrder>;

/** How a command ended. */
export type CommandResult = Required<Pick<OutputBatch, 'exit_status' | 'variables'>>;

/**
 * Lines as a post has them: of several one text, with a line feed between them. A server reads it ten times as fast as a list of short
 * lines. It takes the end of a line before a line feed for a part of it, so that lines with carriage returns stay a list.
 */
export function postedLines({ lines, ...output }: OutputLines): PostedLines {
  const text = lines.join('\n');
  return { ...output, lines: lines.length === 1 || text.includes('\r') ? lines : text };
}

const invalid = (message: string) => new OrchestratorError('Invalid', message);

/** Reads the `details` of an answer to a poll or to a result; throws `Invalid` saying what is wrong. */
export function readOrder(details: unknown): Order {
  const order: Unread<AgentOrder> = entriesOf(details);
  switch (order.kind) {
    case 'run':
      return readRun(order);
    case 'cancel':
      return { kind: 'cancel', command_id: required(order, 'command_id') };
    case 'get':
      return { kind: 'get', file_id: fileIdOf(order), path: required(order, 'path') };
    case 'put':
      return {
        kind: 'put',
        file_id: fileIdOf(order),
        path: required(order, 'path'),
        // Any value but an empty one means the workspace (wire facts 4.3).
        root: order.root ? 'workspace' : '',
      };
    default: {
      const kind = typeof order.kind === 'string' ? order.kind : null;
      throw invalid(`Unknown kind of command: ${JSON.stringify(kind)}.`);
    }
  }
}

function readRun(order: Unread<RunOrder>): RunOrder {
  const { content, words, directory, removal } = order;
  return {
    kind: 'run',
    command_id: required(order, 'command_id'),
    filename: required(order, 'filename'),
    content: typeof content === 'string' ? content : '',
    command: required(order, 'command'),
    batches_under_way: batchesUnderWay(order),
    ...(words === undefined ? {} : { words: wordsOf(words) }),
    ...textIn(order, 'variables_path'),
    ...(directory === undefined ? {} : { directory: fileName(order, 'directory') }),
    ...textIn(order, 'workspace'),
    ...(removal === undefined ? {} : { removal: removalOf(removal) }),
  };
}

function batchesUnderWay({ batches_under_way: value }: Unread<RunOrder>): number {
  return typeof value === 'number' && Number.isInteger(value) && value > 1
    ? Math.min(value, BATCHES_UNDER_WAY_MAX)
    : 1;
}

function removalOf(value: unknown): NonNullable<RunOrder['removal']> {
  const name = (key: string) => fileName(entriesOf(value), key);
  return { directory: name('directory'), prefix: name('prefix'), suffix: name('suffix') };
}

/** Each name is that of something right in its directory, so that nothing else can be meant. */
function fileName<Key extends string>(order: Entries<Key>, key: Key): string {
  const text = required(order, key);
  if (!/[/\\]|^\.{1,2}$/.test(text)) return text;
  throw invalid(`Not the name of a file or directory: ${text}.`);
}

function wordsOf(value: unknown): readonly string[] {
  const words = Array.isArray(value) ? value : [];
  if (words[0] && words.every((word) => typeof word === 'string')) return words;
  throw invalid('The words of the command are no list of texts.');
}

function fileIdOf(order: Unread<AgentOrder>): string {
  const text = required(order, 'file_id');
  if (!isUuid(text)) throw invalid(`Not a valid file id: ${text}.`);
  return text;
}

type Entries<Key extends string> = { readonly [Name in Key]?: unknown };

/** Of an empty text, nothing. */
function textIn<Key extends string>(order: Entries<Key>, key: Key): { [Name in Key]?: string } {
  const text = order[key];
  return typeof text === 'string' && text !== ''
    ? ({ [key]: text } as { [Name in Key]: string })
    : {};
}

function required<Key extends string>(order: Entries<Key>, key: Key): string {
  const text = order[key];
  if (typeof text === 'string' && text !== '') return text;
  throw invalid(`The command lacks its ${key}.`);
}
