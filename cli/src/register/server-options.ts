/** Options of `tutti server` from the schema of its configuration: a key `agents.livenessSeconds` is `--agents-liveness-seconds`. */
import { readDecimal, type ServerConfigInput } from '@tutti/server';
import { type Command, Option } from 'commander';
import { UsageError } from '../terminal/problem.ts';

interface SchemaNode {
  readonly type?: unknown;
  readonly description?: unknown;
  readonly default?: unknown;
  readonly enum?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
}

interface ConfigKey {
  readonly path: readonly string[];
  readonly flag: string;
  readonly node: SchemaNode;
}

function keysOf(node: SchemaNode, path: readonly string[] = []): readonly ConfigKey[] {
  if (node.properties !== undefined) {
    return Object.entries(node.properties).flatMap(([key, child]) => keysOf(child, [...path, key]));
  }
  return [{ path, flag: flagOf(path), node }];
}

function flagOf(path: readonly string[]): string {
  const words = path.map((key) => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
  return `--${words.join('-')}`;
}

/** Adds an option for each key; none has a default here, because files and variables come before defaults. */
export function addServerOptions(command: Command, schema: SchemaNode): void {
  for (const { flag, node } of keysOf(schema)) {
    const described = typeof node.description === 'string' ? node.description : '';
    const byDefault =
      node.default === undefined ? '' : ` (default: ${JSON.stringify(node.default)})`;
    const option = new Option(`${flag} ${placeholderOf(node)}`, `${described}${byDefault}`);
    if (node.type === 'array') option.argParser(addItems(flag));
    command.addOption(option);
  }
}

function placeholderOf(node: SchemaNode): string {
  if (Array.isArray(node.enum)) return `<${node.enum.join('|')}>`;
  switch (node.type) {
    // The option alone means true; a file or a variable can set false.
    case 'boolean':
      return '[true|false]';
    case 'array':
      return '<json>';
    case 'integer':
    case 'number':
      return '<number>';
    default:
      return '<text>';
  }
}

/** The configuration that the given options make. */
export function readServerOptions(command: Command, schema: SchemaNode): ServerConfigInput {
  const config: Record<string, unknown> = {};
  for (const { path, flag, node } of keysOf(schema)) {
    const option = command.options.find((one) => one.long === flag);
    const value: unknown = option && command.getOptionValue(option.attributeName());
    if (value !== undefined) setIn(config, path, readValue(node, flag, value));
  }
  // Its keys are those of the schema; the server checks the values.
  return config as ServerConfigInput;
}

function readValue(node: SchemaNode, flag: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  switch (node.type) {
    case 'boolean':
      return readFlag(flag, value);
    case 'integer':
    case 'number':
      return readNumber(flag, value);
    default:
      return value;
  }
}

function readFlag(flag: string, text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new UsageError(`${flag} takes true or false, not "${text}".`);
}

function readNumber(flag: string, text: string): number {
  const number = readDecimal(text);
  if (number === null) throw new UsageError(`${flag} takes a number, not "${text}".`);
  return number;
}

/** Adds items to the list. */
function addItems(flag: string) {
  return (text: string, before: readonly unknown[] = []): readonly unknown[] => {
    const items = readJson(text);
    if (Array.isArray(items)) return [...before, ...items];
    throw new UsageError(
      `${flag} takes a list in JSON, not "${text}".`,
      'mind the quotes of your shell, or use a file with --config.',
    );
  };
}

/** Undefined if the text is no JSON. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function setIn(config: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key = '', ...rest] = path;
  if (rest.length === 0) {
    config[key] = value;
    return;
  }
  const inner = config[key];
  const section: Record<string, unknown> =
    typeof inner === 'object' && inner !== null ? { ...inner } : {};
  setIn(section, rest, value);
  config[key] = section;
}
