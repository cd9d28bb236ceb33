/**
 * The documents that agents and the server exchange, our agents (protocol `tutti.v1`) and existing ones (wire facts part 4). Types follow
 * from the schemas, and the description of the interface shows them. Each document has one reader, in the program that gets it: an agent
 * loads no library of schemas, posts of output are too many for one, and existing agents post what no schema would take.
 */
import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import { AGENT_LIMITS } from './agent-registration.ts';

export const AGENT_PROTOCOL = 'tutti.v1';

const text = { type: 'string' } as const;
const texts = { type: 'array', items: text } as const;
const name = { type: 'string', minLength: 1 } as const;
const uuid = { type: 'string', format: 'uuid' } as const;
const count = { type: 'integer', minimum: 0 } as const;
/** Of something right in its directory, so that nothing else can be meant. */
const fileName = { type: 'string', pattern: '^(?!\\.{1,2}$)[^/\\\\]+$' } as const;
const error = { type: 'object', properties: { error: text }, required: ['error'] } as const;

const removal = {
  description: 'The script does nothing but remove these; it is for who cannot remove them.',
  type: 'object',
  properties: {
    directory: { ...fileName, description: 'Below the workspace directory.' },
    prefix: { ...fileName, description: 'How names of files in the script directory begin.' },
    suffix: { ...fileName, description: 'How they end.' },
  },
  required: ['directory', 'prefix', 'suffix'],
} as const satisfies JSONSchema;

/** What an agent is told, by `kind`: the `details` of the answer to a poll, or to a result. */
export const agentOrderSchemas = {
  run: {
    description: 'Write a script, then run a command line that runs it.',
    type: 'object',
    properties: {
      kind: { type: 'string', const: 'run' },
      command_id: name,
      filename: { ...name, description: 'Of the script; relative to the script path.' },
      content: { ...text, description: 'Of the script; written as it is, in UTF-8.' },
      command: name,
      words: { ...texts, minItems: 1, description: 'The same, to be started without a shell.' },
      variables_path: { ...text, description: 'The file whose lines go into the result.' },
      directory: { ...fileName, description: 'To make below the workspace directory.' },
      workspace: { ...text, description: 'Below it: where the job works from now on.' },
      batches_under_way: { ...count, description: 'That the server takes; one if absent.' },
      removal,
    },
    required: ['kind', 'command_id', 'filename', 'content', 'command'],
  },
  exec: {
    description: 'Run a command line, of an agent that takes scripts by `put`.',
    type: 'object',
    properties: { kind: { type: 'string', const: 'exec' }, command: name, variables_path: text },
    required: ['kind', 'command'],
  },
  cancel: {
    description: 'End the command: its result is posted as usual.',
    type: 'object',
    properties: { kind: { type: 'string', const: 'cancel' }, command_id: name },
    required: ['kind', 'command_id'],
  },
  get: {
    description: 'Send a file to the server; a relative path is below the workspace directory.',
    type: 'object',
    properties: { kind: { type: 'string', const: 'get' }, file_id: uuid, path: name },
    required: ['kind', 'file_id', 'path'],
  },
  put: {
    description: 'Fetch a file: to the script path, or the workspace if `root` has any text.',
    type: 'object',
    properties: { kind: { type: 'string', const: 'put' }, file_id: uuid, path: name, root: text },
    required: ['kind', 'file_id', 'path'],
  },
} as const satisfies Record<string, JSONSchema>;

const outputLines = {
  description: 'Consecutive lines of one stream, without line ends.',
  type: 'object',
  properties: {
    stream: { type: 'string', enum: ['stdout', 'stderr'] },
    lines: { anyOf: [texts, text], description: 'Of one text, those between its line feeds.' },
    open: { description: 'The last line is a piece of one that goes on.', type: 'boolean' },
    cut: { description: 'The last line has no end, and nothing follows.', type: 'boolean' },
  },
  required: ['stream', 'lines'],
} as const satisfies JSONSchema;

/** What agents post. */
export const agentPostSchemas = {
  batch: {
    description: 'Output of a command of our own agent; the last batch has the result.',
    type: 'object',
    properties: {
      command_id: { ...text, maxLength: AGENT_LIMITS.commandIdLength },
      sequence: { ...count, description: 'From 0 for each command.' },
      oldest: { ...count, description: 'The first of the batches that are under way now.' },
      output: { type: 'array', items: outputLines },
      exit_status: { type: ['integer', 'null'] },
      variables: { type: ['array', 'null'], items: text },
      next: { description: 'The answer may have the next command.', type: 'boolean' },
    },
    required: ['command_id', 'sequence', 'output'],
  },
  received: {
    description: 'Our own agent has written the file of a `put`.',
    type: 'object',
    properties: { received: uuid },
    required: ['received'],
  },
  failed: {
    description: 'Our own agent could not move the file of a `get` or a `put`.',
    type: 'object',
    properties: { failed: uuid, details: error },
    required: ['failed', 'details'],
  },
  existing: {
    description: 'Output, a result, or the failure of a transfer of an existing agent.',
    type: 'object',
    properties: {
      stdout: texts,
      stderr: texts,
      exit_status: { type: 'integer' },
      variables: { type: ['array', 'null'], items: text },
      details: error,
    },
  },
} as const satisfies Record<string, JSONSchema>;

/** What a schema declares of a document; nobody changes it. */
type Declared<Value> = Value extends readonly (infer Item)[]
  ? readonly Declared<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value as string extends Key ? never : Key]: Declared<Value[Key]> }
    : Value;

type DocumentsOf<Schemas extends Readonly<Record<string, JSONSchema>>> = {
  readonly [Kind in keyof Schemas]: Declared<FromSchema<Schemas[Kind]>>;
};
type Orders = DocumentsOf<typeof agentOrderSchemas>;
export type AgentOrder = Orders[keyof Orders];
export type RunOrder = Orders['run'];
export type ExecOrder = Orders['exec'];
export type GetOrder = Orders['get'];
export type PutOrder = Orders['put'];
export type Removal = Declared<FromSchema<typeof removal>>;

type Posts = DocumentsOf<typeof agentPostSchemas>;
export type OutputBatch = Posts['batch'];
export type PostedLines = OutputBatch['output'][number];
export type FileNews = Posts['received'] | Posts['failed'];
export type AgentPost = Posts[keyof Posts];

/** A document, or one of some, before it is read: its entries may be anything. */
export type Unread<Document> = {
  readonly [Key in Document extends unknown ? keyof Document : never]?: unknown;
};
