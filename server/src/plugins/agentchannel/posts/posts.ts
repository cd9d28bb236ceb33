/** Parses posts of agents: the batches of our own, and the bodies of existing agents, which vary (wire facts 4.4). */
import {
  AGENT_LIMITS,
  type AgentPost,
  isUuid,
  OrchestratorError,
  type OutputBatch,
  type PostedBytes,
  type PostedLines,
  type Unread,
} from '@tutti/manifests';
import { entriesOf, isEntries } from '@tutti/manifests/values';
import type { OutputLines } from '@tutti/workflow';
import type { ExistingPost, ReadBatch, ReadPost } from '../jobs/agent-post.ts';
import { LIMITS } from '../jobs/limits.ts';

export const malformed = (why: string): OrchestratorError =>
  new OrchestratorError('BadRequest', `Not a valid agent message: ${why}.`);

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string')
    return value === '' ? [] : value.replaceAll('\r\n', '\n').split('\n');
  if (!Array.isArray(value)) return [];
  return value.map((line) => (typeof line === 'string' ? line : String(line)));
}

/** The entries of a post, whatever they are. */
export function entriesOfPost(body: unknown): Unread<AgentPost> {
  if (isEntries(body)) return body;
  throw malformed('expected a JSON object');
}

export function readBatch(body: Unread<OutputBatch>): ReadBatch {
  const { command_id, sequence, oldest, output, variables } = body;
  if (typeof command_id !== 'string') throw malformed('command_id is missing');
  if (command_id.length > AGENT_LIMITS.commandIdLength) throw malformed('command_id is too long');
  if (!isNumber(sequence)) throw malformed('sequence must be an integer of 0 or more');
  return {
    command_id,
    sequence,
    oldest: isNumber(oldest) ? oldest : sequence,
    output: Array.isArray(output) ? output.map(readLines) : [],
    exit_status: exitStatusOf(body.exit_status),
    variables: Array.isArray(variables) ? textsOf(variables) : null,
    next: body.next === true,
    released: body.released === true,
  };
}

export const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;

function readLines(value: unknown): OutputLines {
  const part = partOf(value);
  return { ...marksOf(part), lines: textsOf(part.lines) };
}

/** The entries of a part of the output, whatever they are. */
export function partOf(value: unknown): Unread<PostedBytes & PostedLines> {
  if (isEntries(value)) return value;
  throw malformed('output must be a list of objects');
}

/** Marks of all lines of a part, and of the last one. */
export const marksOf = ({
  stream,
  open,
  cut,
}: Unread<PostedLines>): Omit<OutputLines, 'lines'> => ({
  stream: stream === 'stderr' ? 'stderr' : 'stdout',
  ...(open === true ? { open } : {}),
  ...(cut === true ? { cut } : {}),
});

function exitStatusOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) ? value : null;
}

/** Reads any post of an agent. */
export function readPost(value: unknown, isOurs: boolean): ReadPost {
  const body = entriesOfPost(value);
  const own = isOurs ? readOwnPost(body) : null;
  return own ?? { kind: 'existing', ...readExistingPost(body) };
}

/** Null for a post in the form of existing agents. */
function readOwnPost(body: Unread<AgentPost>): ReadPost | null {
  if ('command_id' in body) return { kind: 'batch', ...readBatch(body) };
  return isUuid(body.received) ? { kind: 'received', fileId: body.received } : null;
}

/** Existing agents send all of stdout, then all of stderr. */
function readExistingPost(body: Unread<AgentPost>): ExistingPost {
  const output: OutputLines[] = [];
  for (const stream of ['stdout', 'stderr'] as const) {
    const lines = textsOf(body[stream]);
    if (lines.length > 0) output.push({ stream, lines });
  }
  return {
    output,
    exitStatus: exitStatusOf(body.exit_status),
    variables: variablesOf(body.variables),
    error: errorOf(body),
    failedFileId: typeof body.failed === 'string' ? body.failed : null,
  };
}

function variablesOf(value: unknown): readonly string[] | null | undefined {
  return value === undefined ? undefined : Array.isArray(value) ? textsOf(value) : null;
}

/** The text of `{details: {error}}`, with which agents report a failed transfer. */
export function errorOf({ details }: Unread<AgentPost>): string | null {
  const { error } = entriesOf(details);
  return typeof error === 'string' ? error.slice(0, LIMITS.lastLinesBytes) : null;
}
