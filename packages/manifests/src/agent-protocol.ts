/**
 * The documents that our agents (protocol `tutti.v1`) and existing ones exchange with the server (wire facts part 4). Types follow from the
 * schemas. The receiver has a reader for each document, because agents load no library of schemas. Checks by a schema would also slow down
 * the many posts of output. And existing agents post documents that no schema would accept.
 */
import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import { AGENT_LIMITS } from './agent-registration.ts';

export const AGENT_PROTOCOL = 'tutti.v1';

const text = { type: 'string' } as const;
const texts = { type: 'array', items: text } as const;
const name = { type: 'string', minLength: 1 } as const;
const uuid = { type: 'string', format: 'uuid' } as const;
const count = { type: 'integer', minimum: 0 } as const;
const commandId = { type: ['string', 'null'], maxLength: AGENT_LIMITS.commandIdLength } as const;
/** Name of a file in a directory. It has no separators, so it cannot lead to another directory. */
const fileName = { type: 'string', pattern: '^(?!\\.{1,2}$)[^/\\\\]+$' } as const;
/** An object that may have further entries. */
const object = <const Properties, const Required extends readonly (keyof Properties)[]>(
  description: string,
  properties: Properties,
  required: Required,
) => ({ type: 'object', description, properties, required }) as const;
const kind = <const Kind extends string>(name: Kind) => ({ type: 'string', const: name }) as const;

const error = object('Why it failed.', { error: text }, ['error']);
const removal = object(
  'All that the script removes: a directory of the workspace, and scripts whose names begin and end so.',
  { directory: fileName, prefix: fileName, suffix: fileName },
  ['directory', 'prefix', 'suffix'],
);

/** One request for the work of several agents of ours, and the `details` of its answer. */
export const agentPollsSchemas = {
  polls: object(
    'What each agent would ask alone.',
    {
      polls: {
        type: 'array',
        minItems: 1,
        maxItems: AGENT_LIMITS.polls,
        items: object(
          'The agent, and the commands that it names in a poll.',
          { agent_id: uuid, last: commandId, running: commandId },
          ['agent_id'],
        ),
      },
    },
    ['polls'],
  ),
  answer: object(
    'Orders by agent, and the agents that the server does not know.',
    {
      orders: { type: 'object', description: 'Orders by id of the agent.' },
      unknown: { type: 'array', items: uuid },
    },
    ['orders', 'unknown'],
  ),
} as const;

/** Orders for an agent by `kind`: the `details` of the answer to a poll or to a result. */
export const agentOrderSchemas = {
  run: object(
    'Write a script, then run a command line that runs it.',
    {
      kind: kind('run'),
      command_id: name,
      filename: { ...name, description: 'Of the script; relative to the script path.' },
      content: { ...text, description: 'Of the script; written as it is, in UTF-8.' },
      command: name,
      words: { ...texts, minItems: 1, description: 'The same, to be started without a shell.' },
      variables_path: { ...text, description: 'The file whose lines go into the result.' },
      directory: { ...fileName, description: 'To make below the workspace directory.' },
      workspace: { ...text, description: 'Below it: where the job works from now on.' },
      batches_under_way: { ...count, description: 'That the server takes; one if absent.' },
      output_bytes: { description: 'The server takes output as bytes.', type: 'boolean' },
      removal,
      release: {
        ...removal,
        description: 'The command is the last of its job. The agent may remove these after it.',
      },
    },
    ['kind', 'command_id', 'filename', 'content', 'command'],
  ),
  exec: object(
    'Run a command line, of an agent that takes scripts by `put`.',
    { kind: kind('exec'), command: name, variables_path: text },
    ['kind', 'command'],
  ),
  cancel: object(
    'End the command: its result is posted as usual.',
    { kind: kind('cancel'), command_id: name },
    ['kind', 'command_id'],
  ),
  get: object(
    'Send a file to the server; a relative path is below the workspace directory.',
    { kind: kind('get'), file_id: uuid, path: name },
    ['kind', 'file_id', 'path'],
  ),
  put: object(
    'Fetch a file: to the script path, or the workspace if `root` has any text.',
    { kind: kind('put'), file_id: uuid, path: name, root: text },
    ['kind', 'file_id', 'path'],
  ),
} satisfies Record<string, JSONSchema>;

const outputLines = object(
  'Consecutive lines of one stream, without line ends.',
  {
    stream: { type: 'string', enum: ['stdout', 'stderr'] },
    lines: { anyOf: [texts, text], description: 'Of one text, those between its line feeds.' },
    open: { description: 'The last line is a piece of one that goes on.', type: 'boolean' },
    cut: { description: 'The last line has no end, and nothing follows.', type: 'boolean' },
  },
  ['stream', 'lines'],
);

const outputBytes = object(
  'The same as bytes, which follow the document: UTF-8, each line with its line end.',
  {
    stream: outputLines.properties.stream,
    bytes: count,
    open: outputLines.properties.open,
    cut: outputLines.properties.cut,
  },
  ['stream', 'bytes'],
);

const variables = { type: ['array', 'null'], items: text } as const;

/** The first line of a batch that is posted as bytes. */
export const byteBatchSchema = object(
  'Output of a command of our own agent that goes on.',
  {
    command_id: { ...text, maxLength: AGENT_LIMITS.commandIdLength },
    sequence: count,
    oldest: count,
    output: { type: 'array', items: outputBytes },
  },
  ['command_id', 'sequence', 'output'],
) satisfies JSONSchema;

/** Bodies that agents post. */
export const agentPostSchemas = {
  batch: object(
    'Output of a command of our own agent; the last batch has the result.',
    {
      command_id: { ...text, maxLength: AGENT_LIMITS.commandIdLength },
      sequence: { ...count, description: 'From 0 for each command.' },
      oldest: { ...count, description: 'The first of the batches that are under way now.' },
      output: { type: 'array', items: outputLines },
      exit_status: { type: ['integer', 'null'] },
      variables,
      next: { description: 'The answer may have the next command.', type: 'boolean' },
      released: { description: 'Nothing is left of the job.', type: 'boolean' },
    },
    ['command_id', 'sequence', 'output'],
  ),
  received: object('Our agent has written the file of a `put`.', { received: uuid }, ['received']),
  failed: object(
    'Our own agent could not move the file of a `get` or a `put`.',
    { failed: uuid, details: error },
    ['failed', 'details'],
  ),
  existing: object(
    'Output, a result, or the failure of a transfer of an existing agent.',
    { stdout: texts, stderr: texts, exit_status: { type: 'integer' }, variables, details: error },
    [],
  ),
} satisfies Record<string, JSONSchema>;

/** The type that a schema declares for a document, deeply read-only. */
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
export type ByteBatch = Declared<FromSchema<typeof byteBatchSchema>>;
export type PostedBytes = ByteBatch['output'][number];
export type AgentPolls = Declared<FromSchema<typeof agentPollsSchemas.polls>>;
export type FileNews = Posts['received'] | Posts['failed'];
export type AgentPost = Posts[keyof Posts];

/** A document before it is checked, or one of several: its entries may have any type. */
export type Unread<Document> = {
  readonly [Key in Document extends unknown ? keyof Document : never]?: unknown;
};
