/**
 * Reads the orders of the server. Their types follow from the schemas of `@tutti/manifests`. The checks are written here, because agents
 * load no library of schemas.
 */
import {
  type AgentOrder,
  type ExecOrder,
  type GetOrder,
  isUuid,
  OrchestratorError,
  type OutputBatch,
  type Removal,
  type RunOrder,
  type Unread,
} from '@tutti/manifests';
import { entriesOf } from '@tutti/manifests/values';
import { BATCHES_UNDER_WAY_MAX } from './limits.ts';

/** Orders for our agent. It knows `run`, so the server never sends it `exec`. */
export type Order = Exclude<AgentOrder, ExecOrder>;

/** The end of a command: exit status and variables. */
export type CommandResult = Required<Pick<OutputBatch, 'exit_status' | 'variables'>> &
  Pick<OutputBatch, 'released'>;

const invalid = (message: string) => new OrchestratorError('Invalid', message);

/** Reads the `details` of an answer to a poll or to a result; throws `Invalid` with the problem. */
export function readOrder(details: unknown): Order {
  const order: Unread<AgentOrder> = entriesOf(details);
  switch (order.kind) {
    case 'run':
      return readRun(order);
    case 'cancel':
      return { kind: 'cancel', command_id: text(order.command_id, 'command_id') };
    case 'get':
      return { kind: 'get', ...fileOf(order) };
    case 'put':
      // Any value but an empty one means the workspace (wire facts 4.3).
      return { kind: 'put', ...fileOf(order), root: order.root ? 'workspace' : '' };
    default: {
      const kind = typeof order.kind === 'string' ? order.kind : null;
      throw invalid(`Unknown kind of command: ${JSON.stringify(kind)}.`);
    }
  }
}

function readRun(order: Unread<RunOrder>): RunOrder {
  const { content, words, variables_path, directory, workspace, removal, release } = order;
  return {
    kind: 'run',
    command_id: text(order.command_id, 'command_id'),
    filename: text(order.filename, 'filename'),
    content: typeof content === 'string' ? content : '',
    command: text(order.command, 'command'),
    batches_under_way: batchesUnderWay(order.batches_under_way),
    ...(order.output_bytes === true ? { output_bytes: true } : {}),
    ...(words === undefined ? {} : { words: wordsOf(words) }),
    ...(isText(variables_path) ? { variables_path } : {}),
    ...(directory === undefined ? {} : { directory: fileName(directory, 'directory') }),
    ...(isText(workspace) ? { workspace } : {}),
    ...(removal === undefined ? {} : { removal: removalOf(entriesOf(removal)) }),
    ...(release === undefined ? {} : { release: removalOf(entriesOf(release)) }),
  };
}

const batchesUnderWay = (value: unknown): number =>
  typeof value === 'number' && Number.isInteger(value) && value > 1
    ? Math.min(value, BATCHES_UNDER_WAY_MAX)
    : 1;

const removalOf = ({ directory, prefix, suffix }: Unread<Removal>): Removal => ({
  directory: fileName(directory, 'directory'),
  prefix: fileName(prefix, 'prefix'),
  suffix: fileName(suffix, 'suffix'),
});

/** Name of a file in a directory. It has no separators, so it cannot lead to another directory. */
function fileName(value: unknown, key: string): string {
  const name = text(value, key);
  if (!/[/\\]|^\.{1,2}$/.test(name)) return name;
  throw invalid(`Not the name of a file or directory: ${name}.`);
}

function wordsOf(value: unknown): readonly string[] {
  const words = Array.isArray(value) ? value : [];
  if (words[0] && words.every((word) => typeof word === 'string')) return words;
  throw invalid('The words of the command are no list of texts.');
}

function fileOf({ file_id, path }: Unread<AgentOrder>): Pick<GetOrder, 'file_id' | 'path'> {
  const id = text(file_id, 'file_id');
  if (!isUuid(id)) throw invalid(`Not a valid file id: ${id}.`);
  return { file_id: id, path: text(path, 'path') };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function text(value: unknown, key: string): string {
  if (isText(value)) return value;
  throw invalid(`The command lacks its ${key}.`);
}
