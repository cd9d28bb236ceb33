/** Reading of free entries in events. Other programs may have written them: an entry of another type reads as absent. */
import type { Hook } from '@tutti/manifests';
import type { JobResult } from './fact.ts';

type Entries = object | undefined;

/** Any value; undefined without one. */
export function entry(entries: Entries, name: string): unknown {
  const value = (entries as Readonly<Record<string, unknown>> | undefined)?.[name];
  // Most entries are not there. A property that every object has, such as `constructor`, is no entry.
  return value !== undefined && Object.hasOwn(entries ?? {}, name) ? value : undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const areRecords = (value: unknown): boolean => Array.isArray(value) && value.every(isRecord);

const isText = (value: unknown): value is string => typeof value === 'string';

function isHook(value: unknown): value is Hook {
  if (!isRecord(value)) return false;
  const { name, if: condition, events, before = [], after = [] } = value;
  const isNamed = typeof name === 'string' && ['string', 'undefined'].includes(typeof condition);
  return isNamed && [events, before, after].every(areRecords);
}

// One of each for all events: most have no entry of a name.
const NOTHING: Readonly<Record<string, unknown>> = Object.freeze({});
const NO_TEXTS: Readonly<Record<string, string>> = Object.freeze({});
const NO_ITEMS: readonly never[] = Object.freeze([]);

const RESULTS: ReadonlySet<unknown> = new Set(['success', 'failure', 'cancelled', 'skipped']);

/** A flag in the `spec` of a notification, where published schemas allow no boolean. Earlier versions wrote booleans. */
export const flagText = (flag: boolean): 'true' | 'false' => (flag ? 'true' : 'false');

export const extension = {
  number(entries: Entries, name: string): number | null {
    const value = entry(entries, name);
    return typeof value === 'number' && Number.isFinite(value) ? value : null;
  },
  /** Null for a value that is neither true nor false. */
  flag(entries: Entries, name: string): boolean | null {
    const value = entry(entries, name);
    if (value === true || value === flagText(true)) return true;
    return value === false || value === flagText(false) ? false : null;
  },
  isTrue(entries: Entries, name: string): boolean {
    return extension.flag(entries, name) === true;
  },
  text(entries: Entries, name: string): string | null {
    const value = entry(entries, name);
    return typeof value === 'string' ? value : null;
  },
  record(entries: Entries, name: string): Readonly<Record<string, unknown>> {
    const value = entry(entries, name);
    return isRecord(value) ? value : NOTHING;
  },
  /** The items of a list that are texts. */
  list(entries: Entries, name: string): readonly string[] {
    const value = entry(entries, name);
    if (!Array.isArray(value)) return NO_ITEMS;
    // The list itself, where it may be long: the log looks for it in the text of the event.
    return value.every(isText) ? value : value.filter(isText);
  },
  /** The entries of a record that are texts. */
  texts(entries: Entries, name: string): Readonly<Record<string, string>> {
    const value = extension.record(entries, name);
    if (value === NOTHING) return NO_TEXTS;
    const texts = Object.entries(value).filter(
      (each): each is [string, string] => typeof each[1] === 'string',
    );
    return Object.fromEntries(texts);
  },
  /** The entries of a list that are hooks, as far as folding them goes; whoever wrote them checked the rest. */
  hooks(entries: Entries, name: string): readonly Hook[] {
    const value = entry(entries, name);
    return Array.isArray(value) ? value.filter(isHook) : NO_ITEMS;
  },
  result(entries: Entries, name: string): JobResult | null {
    const value = entry(entries, name);
    return RESULTS.has(value) ? (value as JobResult) : null;
  },
  /** Reads a result; anything unknown is a failure, never a success. */
  resultOrFailure(entries: Entries, name: string): JobResult {
    return extension.result(entries, name) ?? 'failure';
  },
} as const;
