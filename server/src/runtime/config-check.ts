/**
 * Checks values against the few JSON Schema keywords that the configuration uses. The full validator costs 40 ms and 14 MiB. A server
 * without requests does not need to spend them.
 */
import { likeName, suggestion } from './nearest-key.ts';

/** The schema's address, for editors. It is removed before the check. */
const FOR_EDITORS = '$schema';

export interface ConfigNode {
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly properties?: Readonly<Record<string, ConfigNode>>;
  readonly items?: ConfigNode;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
  /** Matching values, for messages. */
  readonly examples?: readonly string[];
}

/** A part of a configuration before its check. */
export type ConfigRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is ConfigRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Problems of a layer of the configuration, each with its key. Missing keys are filled in later. */
export function checkConfig(node: ConfigNode, value: unknown): readonly string[] {
  return checkPart(node, value, { key: '', root: node });
}

/** The place of a part in the configuration, and the root of the schema. */
interface Place {
  readonly key: string;
  readonly root: ConfigNode;
}

/** Checks the part with that key. */
export function checkPart(node: ConfigNode, value: unknown, place: Place): readonly string[] {
  if (node.type === 'object') return checkObject(node, value, place);
  if (node.type === 'array') return checkList(node, value, place);
  if (fits(node, value)) return [];
  const isPlain = node.type === 'string' && node.enum === undefined && node.pattern === undefined;
  if (isPlain && value === '') return [`${place.key}: must not be empty`];
  return [`${place.key}: must be ${expectation(node, value)}, not ${shown(value)}`];
}

/** JSON has no infinite numbers, and would say null. */
const shown = (value: unknown): string =>
  typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'nothing');

function checkObject(node: ConfigNode, value: unknown, place: Place): readonly string[] {
  const { key, root } = place;
  if (!isRecord(value)) return [`${key || 'the document'}: must be an object`];
  const known = node.properties ?? {};
  return Object.entries(value).flatMap(([name, entry]) => {
    const path = key === '' ? name : `${key}.${name}`;
    const property = Object.hasOwn(known, name) ? known[name] : undefined;
    if (property === undefined) {
      const names = Object.keys(known);
      const here = key === '' ? [...names, FOR_EDITORS] : names;
      const meant = likeName(name, here) ?? keyElsewhere(name, root);
      return [`${path}: unknown key${suggestion(meant, names)}`];
    }
    return entry === undefined ? [] : checkPart(property, entry, { key: path, root });
  });
}

/** The full name of a correct or similar key in the wrong place. */
function keyElsewhere(name: string, root: ConfigNode): string | null {
  const keys = keysOf(root);
  const last = (key: string): string => key.slice(key.lastIndexOf('.') + 1);
  const meant = likeName(name, keys.map(last));
  return keys.find((key) => last(key) === meant) ?? null;
}

function keysOf(node: ConfigNode, path: readonly string[] = []): readonly string[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, child]) => [
    [...path, name].join('.'),
    ...keysOf(child, [...path, name]),
  ]);
}

function checkList(node: ConfigNode, value: unknown, place: Place): readonly string[] {
  const { key, root } = place;
  const item = node.items;
  if (!Array.isArray(value) || item === undefined) return [`${key}: must be a list`];
  return value.flatMap((entry: unknown, index) => [
    ...checkPart(item, entry, { key: `${key}[${index}]`, root }),
    ...missingKeys(item, entry, `${key}[${index}]`),
  ]);
}

function missingKeys(node: ConfigNode, value: unknown, key: string): readonly string[] {
  if (!isRecord(value)) return [];
  return (node.required ?? [])
    .filter((name) => value[name] === undefined && node.properties?.[name]?.default === undefined)
    .map((name) => `${key}: "${name}" is missing`);
}

function fits(node: ConfigNode, value: unknown): boolean {
  switch (node.type) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
    case 'number':
      return fitsNumber(node, value);
    default:
      return (
        typeof value === 'string' &&
        value.length >= (node.minLength ?? 0) &&
        (node.enum?.includes(value) ?? true) &&
        (node.pattern === undefined || new RegExp(node.pattern).test(value))
      );
  }
}

function fitsNumber(node: ConfigNode, value: unknown): boolean {
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  // Larger integers have lost digits.
  if (node.type === 'integer' && !Number.isSafeInteger(value)) return false;
  if (node.exclusiveMinimum !== undefined && value <= node.exclusiveMinimum) return false;
  return value >= (node.minimum ?? -Infinity) && value <= (node.maximum ?? Infinity);
}

function expectation(node: ConfigNode, value: unknown): string {
  if (node.enum !== undefined) return `one of ${node.enum.join(', ')}`;
  if (node.pattern !== undefined) return `a text like ${listed(node.examples ?? [node.pattern])}`;
  if (node.type === 'boolean') return 'true or false';
  if (node.type === 'string') return 'a text';
  const kind = node.type === 'integer' ? 'an integer' : 'a number';
  if (node.exclusiveMinimum !== undefined) return `${kind} above ${node.exclusiveMinimum}`;
  const isTooLarge = typeof value === 'number' && value > Number.MAX_SAFE_INTEGER;
  const maximum = node.maximum ?? (isTooLarge ? Number.MAX_SAFE_INTEGER : undefined);
  if (maximum !== undefined) return `${kind} from ${node.minimum ?? 0} to ${maximum}`;
  return node.minimum === undefined ? kind : `${kind} of ${node.minimum} or more`;
}

const listed = (examples: readonly string[]): string =>
  examples.map((example) => JSON.stringify(example)).join(' or ');
