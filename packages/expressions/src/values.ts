/** Values of the expression language: JSON values. Compares, converts and prints them (wire facts 6.2, 6.3). */
import { namesOf, payFor, STEPS_OF, type Work } from './evaluation-budget.ts';

type ValueType = 'null' | 'boolean' | 'number' | 'string' | 'list' | 'map';

/** A list, a map, a number and so on; whatever else a context holds counts as null. */
export function typeOf(value: unknown): ValueType {
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'string') return 'string';
  if (typeof value !== 'object' || value === null) return 'null';
  return Array.isArray(value) ? 'list' : 'map';
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeOf(value) === 'map';
}

/** False are null, false, zero, the empty text, the empty list and the empty map. */
export function isTruthy(value: unknown, work: Work): boolean {
  if (isList(value)) return value.length > 0;
  if (isMap(value)) return namesOf(value, work).length > 0;
  return Boolean(value);
}

const NUMERIC = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i;

/** Null and the empty text are 0. Lists, maps and texts that are no decimal number, such as blanks, are NaN. */
export function toNumber(value: unknown): number {
  switch (typeOf(value)) {
    case 'null':
      return 0;
    case 'boolean':
    case 'number':
      return Number(value);
    case 'string':
      return textToNumber(String(value));
    case 'list':
    case 'map':
      return Number.NaN;
  }
}

function textToNumber(text: string): number {
  if (text === '') return 0;
  const trimmed = text.trim();
  return NUMERIC.test(trimmed) ? Number(trimmed) : Number.NaN;
}

/** Texts regardless of case; values of one type as they are; values of different types as numbers. */
export function isEqual(left: unknown, right: unknown, work: Work): boolean {
  if (typeof left === 'string' && typeof right === 'string') {
    return lowerCase(left, work) === lowerCase(right, work);
  }
  if (typeOf(left) !== typeOf(right)) return paidNumber(left, work) === paidNumber(right, work);
  return isSame(left, right, work);
}

export function lowerCase(text: string, work: Work): string {
  return payFor(text, work).toLowerCase();
}

function paidNumber(value: unknown, work: Work): number {
  work.spend(typeof value === 'string' ? value.length : STEPS_OF.entry);
  return toNumber(value);
}

function isSame(left: unknown, right: unknown, work: Work): boolean {
  work.spend(typeof left === 'string' ? STEPS_OF.entry + left.length : STEPS_OF.entry);
  if (isList(left) && isList(right)) {
    return (
      left.length === right.length && left.every((item, index) => isSame(item, right[index], work))
    );
  }
  if (isMap(left) && isMap(right)) return isSameMap(left, right, work);
  return typeOf(left) === 'null' ? typeOf(right) === 'null' : left === right;
}

function isSameMap(
  left: Readonly<Record<string, unknown>>,
  right: Readonly<Record<string, unknown>>,
  work: Work,
): boolean {
  const keys = namesOf(left, work);
  return (
    keys.length === namesOf(right, work).length &&
    keys.every((key) => Object.hasOwn(right, key) && isSame(left[key], right[key], work))
  );
}

/** Negative, zero or positive as `left` comes before, with or after `right`; NaN when they have no order. */
export function order(left: unknown, right: unknown, work: Work): number {
  if (typeof left === 'string' && typeof right === 'string') {
    return orderOf(lowerCase(left, work), lowerCase(right, work));
  }
  return orderOf(paidNumber(left, work), paidNumber(right, work));
}

function orderOf<T extends string | number>(left: T, right: T): number {
  if (left < right) return -1;
  if (left > right) return 1;
  return left === right ? 0 : Number.NaN;
}

const INDEX = /^\d+$/;

/**
 * The entry of a map, or the item of a list by its index; undefined when there is none. Only own entries: a key such as `constructor` must
 * not reach what an object inherits.
 */
export function entryOf(container: unknown, name: string): unknown {
  if (isList(container)) return INDEX.test(name) ? container[Number(name)] : undefined;
  return isMap(container) && Object.hasOwn(container, name) ? container[name] : undefined;
}

/** True when lists and maps are nested deeper than allowed. */
export function isDeeperThan(value: unknown, depthMax: number): boolean {
  if (!isList(value) && !isMap(value)) return false;
  return depthMax === 0 || Object.values(value).some((item) => isDeeperThan(item, depthMax - 1));
}

/** Pays for all characters and entries of a value. */
export function payForAll(value: unknown, work: Work): void {
  work.spend(typeof value === 'string' ? 1 + value.length : 1);
  if (isMap(value)) payFor(namesOf(value, work).join(''), work);
  if (!isList(value) && !isMap(value)) return;
  for (const item of Object.values(value)) payForAll(item, work);
}
