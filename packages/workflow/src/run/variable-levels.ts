/**
 * One level of variables: those of a workflow, of a job, of a step. A thousand jobs may ask for the same level, which may have thousands of
 * variables. So its evaluation is cached for as long as the level exists.
 */
import { OPENING } from '@tutti/expressions';
import type { Variables } from '@tutti/manifests';

interface Known {
  readonly size: number;
  /** Whether the level has no expressions. */
  readonly isPlain: boolean;
  /** The texts by name. */
  readonly values: Readonly<Record<string, string>>;
}

const remembered = new WeakMap<object, Known>();

export function knownLevel(level: Variables): Known {
  const known = remembered.get(level) ?? found(level);
  remembered.set(level, known);
  return known;
}

function found(level: Variables): Known {
  const entries = Object.entries(level).map(([name, each]) => [name, textOf(each)] as const);
  return {
    size: entries.length,
    isPlain: entries.every(([, text]) => !text.includes(OPENING)),
    values: Object.fromEntries(entries),
  };
}

export const textOf = (variable: Variables[string]): string =>
  typeof variable === 'string' ? variable : variable.value;

/** A level with the values of its expressions. */
export function evaluatedLevel(level: Variables, values: Known['values'], size: number): Variables {
  remembered.set(level, { size, isPlain: false, values });
  return level;
}

/** A copy that can be added to: without a prototype, so that `__proto__` is a name like any other. */
export const withNames = <Value>(entries: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.assign(Object.create(null), entries);
