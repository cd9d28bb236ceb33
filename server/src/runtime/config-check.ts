/**
 * Checks values against the few JSON Schema keywords that the configuration uses. The full validator costs 40 ms and 14 MiB,
 * which a server that is not yet asked for anything does not need to spend.
 */
import { didYouMean } from '@tutti/manifests/documents';

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
}

/** A part of a configuration, before anything is known of it. */
export type ConfigRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is ConfigRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** All that is wrong with a layer of the configuration, each problem with its key. Missing keys are filled in later. */
export function checkConfig(node: ConfigNode, value: unknown, key = ''): readonly string[] {
  if (node.type === 'object') return checkObject(node, value, key);
  if (node.type === 'array') return checkList(node, value, key);
  const expected = expectation(node);
  return fits(node, value)
    ? []
    : [`${key}: must be ${expected}, not ${JSON.stringify(value) ?? 'nothing'}`];
}

function checkObject(node: ConfigNode, value: unknown, key: string): readonly string[] {
  if (!isRecord(value)) return [`${key || 'the document'}: must be an object`];
  const known = node.properties ?? {};
  return Object.entries(value).flatMap(([name, entry]) => {
    const path = key === '' ? name : `${key}.${name}`;
    const property = Object.hasOwn(known, name) ? known[name] : undefined;
    if (property === undefined)
      return [`${path}: unknown key${didYouMean(name, Object.keys(known))}`];
    return entry === undefined ? [] : checkConfig(property, entry, path);
  });
}

function checkList(node: ConfigNode, value: unknown, key: string): readonly string[] {
  const item = node.items;
  if (!Array.isArray(value) || item === undefined) return [`${key}: must be a list`];
  return value.flatMap((entry: unknown, index) => [
    ...checkConfig(item, entry, `${key}[${index}]`),
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
  if (node.type === 'integer' && !Number.isInteger(value)) return false;
  if (node.exclusiveMinimum !== undefined && value <= node.exclusiveMinimum) return false;
  return value >= (node.minimum ?? -Infinity) && value <= (node.maximum ?? Infinity);
}

function expectation(node: ConfigNode): string {
  if (node.enum !== undefined) return `one of ${node.enum.join(', ')}`;
  if (node.pattern !== undefined) return `text that matches ${node.pattern}`;
  if (node.type === 'boolean') return 'true or false';
  if (node.type === 'string') return 'a text';
  const kind = node.type === 'integer' ? 'an integer' : 'a number';
  if (node.exclusiveMinimum !== undefined) return `${kind} above ${node.exclusiveMinimum}`;
  if (node.maximum !== undefined) return `${kind} from ${node.minimum ?? 0} to ${node.maximum}`;
  return node.minimum === undefined ? kind : `${kind} of ${node.minimum} or more`;
}
