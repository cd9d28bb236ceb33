/** Reading what agents post: the batches of our own, and the bodies of existing agents, which vary (wire facts 4.4). */
import { isUuid, OrchestratorError } from '@tutti/manifests';
import type { OutputLines } from '@tutti/workflow';
import type { AgentPost } from './agent-post.ts';
import type { OutputBatch } from './batches.ts';
import { LIMITS } from './limits.ts';
import type { ExistingPost } from './results.ts';

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const malformed = (why: string): OrchestratorError =>
  new OrchestratorError('BadRequest', `Not a valid agent message: ${why}.`);

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string')
    return value === '' ? [] : value.replaceAll('\r\n', '\n').split('\n');
  if (!Array.isArray(value)) return [];
  return value.map((line) => (typeof line === 'string' ? line : String(line)));
}

export function fieldsOf(body: unknown): Fields {
  if (isFields(body)) return body;
  throw malformed('expected a JSON object');
}

export function readBatch(body: Fields): OutputBatch {
  const { command_id: commandId, sequence, oldest, output, variables } = body;
  if (typeof commandId !== 'string') throw malformed('command_id is missing');
  if (commandId.length > LIMITS.commandIdLength) throw malformed('command_id is too long');
  if (!isNumber(sequence)) throw malformed('sequence must be an integer of 0 or more');
  return {
    commandId,
    sequence,
    oldest: isNumber(oldest) ? oldest : null,
    output: Array.isArray(output) ? output.map(readLines) : [],
    exitStatus: exitStatusOf(body.exit_status),
    variables: Array.isArray(variables) ? textsOf(variables) : null,
    takesNext: body.next === true,
  };
}

const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;

function readLines(value: unknown): OutputLines {
  if (!isFields(value)) throw malformed('output must be a list of objects');
  const stream = value.stream === 'stderr' ? 'stderr' : 'stdout';
  return {
    stream,
    lines: textsOf(value.lines),
    ...(value.open === true ? { open: true } : {}),
    ...(value.cut === true ? { cut: true } : {}),
  };
}

function exitStatusOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) ? value : null;
}

/** What an agent posts, whatever it is about. */
export function readPost(value: unknown, isOurs: boolean): AgentPost {
  const body = fieldsOf(value);
  if (isOurs && 'command_id' in body) return { kind: 'batch', batch: readBatch(body) };
  if (isOurs && isUuid(body.received)) return { kind: 'received', fileId: body.received };
  return { kind: 'existing', post: readExistingPost(body) };
}

/** Existing agents give all of stdout, then all of stderr. */
export function readExistingPost(body: Fields): ExistingPost {
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

/** The text of `{details: {error}}`, with which agents tell that a transfer failed. */
export function errorOf(body: Fields): string | null {
  const details = body.details;
  return isFields(details) && typeof details.error === 'string'
    ? details.error.slice(0, LIMITS.lastLinesBytes)
    : null;
}
