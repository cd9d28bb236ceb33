/** Query parameters (specification 4.1): unknown ones are ignored, a repeated one must repeat its value. */
import {
  formatTimestamp,
  OrchestratorError,
  parseTimestamp,
  type Timestamp,
} from '@tutti/manifests';
import type { FastifyRequest } from 'fastify';

const invalid = (message: string): OrchestratorError => new OrchestratorError('Invalid', message);

/** The value of a parameter, null when it is absent. Throws `Invalid` for two different values. */
export function queryText(request: FastifyRequest, name: string): string | null {
  const value = parameter(request, name);
  if (value === undefined) return null;
  const values = new Set(Array.isArray(value) ? value : [value]);
  const [only] = values;
  if (values.size !== 1 || typeof only !== 'string') {
    throw invalid(`Parameter "${name}" is given several times with different values.`);
  }
  return only;
}

/** True for `?name`, whatever it is set to. */
export function isQueryGiven(request: FastifyRequest, name: string): boolean {
  return parameter(request, name) !== undefined;
}

function parameter(request: FastifyRequest, name: string): unknown {
  const { query } = request;
  if (typeof query !== 'object' || query === null || !Object.hasOwn(query, name)) return undefined;
  return Reflect.get(query, name);
}

const SET = ['', 'true', '1', 'yes', 'on'];
const NOT_SET = ['false', '0', 'no', 'off'];

/** True for a set flag, as `queryFlag` reads it. False for invalid values, which are refused where the flag counts. */
export function isFlagSet(request: FastifyRequest, name: string): boolean {
  const value = parameter(request, name);
  const values = Array.isArray(value) ? value : [value];
  return values.every((each) => typeof each === 'string' && SET.includes(each.toLowerCase()));
}

/** True for `?name`, `?name=` and `?name=true`; false when absent and for `?name=false`. */
export function queryFlag(request: FastifyRequest, name: string): boolean {
  const value = queryText(request, name);
  if (value === null || NOT_SET.includes(value.toLowerCase())) return false;
  if (SET.includes(value.toLowerCase())) return true;
  throw invalid(`Parameter "${name}" must be true or false, not "${value}".`);
}

/** One of `choices`, null when absent. */
export function queryChoice<const Choice extends string>(
  request: FastifyRequest,
  name: string,
  choices: readonly Choice[],
): Choice | null {
  const value = queryText(request, name);
  return value === null ? null : choiceOf(name, value, choices);
}

/** The choice that the value of a parameter is; throws `Invalid` when it is none. */
export function choiceOf<const Choice extends string>(
  name: string,
  value: string,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined) {
    throw invalid(`Parameter "${name}" must be one of ${choices.join(', ')}, not "${value}".`);
  }
  return choice;
}

/** Databases compare texts, and end them at such a character. */
const CONTROL = /\p{Cc}/u;

/** A text that the database compares with others, null when absent. Throws `Invalid` for one with control characters. */
export function queryPhrase(request: FastifyRequest, name: string): string | null {
  const phrase = queryText(request, name);
  if (phrase !== null && CONTROL.test(phrase)) {
    throw invalid(`Parameter "${name}" has a control character.`);
  }
  return phrase;
}

/** A time, null when absent. Throws `Invalid` for other text. */
export function queryTime(request: FastifyRequest, name: string): Timestamp | null {
  const text = queryText(request, name);
  if (text === null) return null;
  const time = parseTimestamp(text);
  if (time !== null) return formatTimestamp(time);
  throw invalid(`Parameter "${name}" must be a time such as 2026-01-31T12:00:00Z, not "${text}".`);
}

export interface NumberRange {
  readonly min: number;
  readonly max?: number;
}

/**
 * An integer, null if absent. Throws `Invalid` for other text and outside the range. Without an upper limit, any length is
 * accepted; beyond exact numbers, it becomes the largest exact one.
 */
export function queryInteger(
  request: FastifyRequest,
  name: string,
  { min, max = Number.POSITIVE_INFINITY }: NumberRange,
): number | null {
  const text = queryText(request, name);
  if (text === null) return null;
  const value = /^[+-]?\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) {
    const range = Number.isFinite(max) ? `from ${min} to ${max}` : `of ${min} or more`;
    throw invalid(`Parameter "${name}" must be an integer ${range}, not "${text}".`);
  }
  return Math.min(value, Number.MAX_SAFE_INTEGER);
}
