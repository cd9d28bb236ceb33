/** Keys in the form of documents: `auth.trustedKeys` means `trustedKeys` within `auth`. */
import { isDeepStrictEqual } from 'node:util';
import { type ConfigRecord, isRecord } from './config-check.ts';

export interface UndottedConfig {
  readonly config: unknown;
  /** Keys that are given both ways with different values. */
  readonly problems: readonly string[];
}

/** Moves keys with a dot into their sections; other keys stay. */
export function withoutDots(document: unknown): UndottedConfig {
  if (!isRecord(document)) return { config: document, problems: [] };
  const problems: string[] = [];
  const entries = new Map(Object.entries(document).filter(([key]) => !key.includes('.')));
  for (const [key, value] of Object.entries(document)) {
    const dot = key.indexOf('.');
    if (dot === -1) continue;
    const [section, name] = [key.slice(0, dot), key.slice(dot + 1)];
    const within = entries.get(section) ?? {};
    if (isRecord(within) && fitsInto(within, name, value)) {
      entries.set(section, Object.fromEntries([...Object.entries(within), [name, value]]));
    } else problems.push(`${key}: is given twice, with different values`);
  }
  return { config: Object.fromEntries(entries), problems };
}

const fitsInto = (section: ConfigRecord, name: string, value: unknown): boolean =>
  !Object.hasOwn(section, name) || isDeepStrictEqual(section[name], value);
