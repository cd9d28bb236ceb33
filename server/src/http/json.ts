/** JSON from outside: bounded in depth, and without keys that reach an object's prototype. */
import { messages, OrchestratorError } from '@tutti/manifests';
import { DOCUMENT_LIMITS, TextLines } from '@tutti/manifests/documents';
import { requireMemory } from './document-memory.ts';
import { offsetOfMistake } from './json-mistake.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

const malformed = (why: string, cause?: unknown): OrchestratorError =>
  new OrchestratorError('BadRequest', messages.bodyNotJson(why), { cause });

/** Refuses JSON beyond a limit. The message begins like the one for invalid JSON, as clients may look for that. */
const notTaken = (why: string): OrchestratorError =>
  new OrchestratorError('BadRequest', messages.bodyNotTaken(why));

export interface JsonRules {
  /** Refuses integers that would lose digits. Without it, integers are read like other JSON readers do. */
  readonly exactIntegers?: boolean;
  /** Limit of values for documents that a thread reads and bounds. */
  readonly valuesMax?: number;
  /** Accepts numbers out of range, and the key "__proto__": for readers that use neither. Finding them takes long. */
  readonly hasAnyValues?: boolean;
}

/** Parses a request body; throws `BadRequest` with the reason (specification part 7). */
export function parseJson(content: Uint8Array | string, rules: JsonRules = {}): unknown {
  const { valuesMax = DOCUMENT_LIMITS.values, hasAnyValues = false } = rules;
  const text = typeof content === 'string' ? content : decode(content);
  if (text.trim() === '') throw malformed('it is empty.');
  // Memory of bytes is counted on arrival (`document-memory.ts`).
  if (typeof content === 'string') requireMemory(content);
  const { isTooDeep, isTooMuch, hasOddNumbers } = outsideOfTexts(text, valuesMax);
  if (isTooDeep) throw notTaken(`it is nested more than ${DOCUMENT_LIMITS.depth} levels deep.`);
  if (isTooMuch) throw notTaken(`it has more than ${valuesMax} values.`);
  try {
    // The plain parser is much faster, and suspicious documents are rare.
    return !hasAnyValues && (hasOddNumbers || SUSPICIOUS_KEYS.some((key) => text.includes(key)))
      ? JSON.parse(text, closerLook(rules))
      : JSON.parse(text);
  } catch (cause) {
    if (cause instanceof OrchestratorError) throw cause;
    throw malformed(`${withPlace(cause, text)}.`, cause);
  }
}

/** The parser's own words, which name a position now and then, and the place as other documents have it. */
function withPlace(cause: unknown, text: string): string {
  if (!(cause instanceof Error)) return 'unreadable';
  const [words, offset] =
    /^(.*?)(?: in JSON)? at position (\d+)(?: \(line \d+ column \d+\))?$/s
      .exec(cause.message)
      ?.slice(1) ?? [];
  const isSmall = text.length <= DOCUMENT_LIMITS.jsonPlaced;
  if (offset === undefined && !isSmall) return cause.message;
  const at = offset === undefined ? offsetOfMistake(text) : Number(offset);
  const { line, column } = new TextLines(text).spanOf(at, at);
  return `${words ?? cause.message} (line ${line}, column ${column})`;
}

/** UTF-8 text without its byte order mark, of a document that is not JSON alone; throws `Invalid`. */
export function decodeText(content: Uint8Array, what: string): string {
  try {
    return utf8.decode(content);
  } catch (cause) {
    throw new OrchestratorError('Invalid', `${what} is not UTF-8 text.`, { cause });
  }
}

function decode(content: Uint8Array): string {
  try {
    return utf8.decode(content);
  } catch (cause) {
    throw malformed('it is not UTF-8 text.', cause);
  }
}

/** Signs of a prototype key, also with an escaped underscore. */
const SUSPICIOUS_KEYS = ['__proto__', '\\u005f', '\\u005F'];
const INTEGER = /^-?\d+$/;

function closerLook({ exactIntegers = false }: JsonRules) {
  return (key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    // Some code copies entries by assignment, and would get a foreign prototype from this key.
    if (key === '__proto__') throw notTaken('it has the key "__proto__".');
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    const text = context?.source ?? String(value);
    const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
    if (!Number.isFinite(value)) throw notTaken(`the number ${shown} is too large.`);
    if (!exactIntegers || !INTEGER.test(text)) return value;
    throw notTaken(`the number ${shown} has too many digits to be kept, write it as a text.`);
  };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

const ZERO = 0x30;
const NINE = 0x39;
/** Numbers with fewer digits are exact. */
const DIGITS_MIN = 16;

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;
const isExponent = (code: number): boolean => code === 0x65 || code === 0x45;

interface Outside {
  /** Readers descend recursively, so depth is checked on the text first. */
  readonly isTooDeep: boolean;
  /** Reading takes time for each value, however short. */
  readonly isTooMuch: boolean;
  /** Whether numbers may have many digits or a large exponent. */
  readonly hasOddNumbers: boolean;
}

/** Scans a document outside of its strings; in logs and reports that is the smallest part. */
function outsideOfTexts(text: string, valuesMax: number): Outside {
  let depth = 0;
  let values = 0;
  let digits = 0;
  let hasOddNumbers = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (isDigit(code)) {
      digits += 1;
      if (digits >= DIGITS_MIN) hasOddNumbers = true;
      continue;
    }
    if (digits > 0 && isExponent(code)) hasOddNumbers = true;
    digits = 0;
    if (code === QUOTE) index = endOfString(text, index);
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      values += 1;
      if (depth > DOCUMENT_LIMITS.depth)
        return { isTooDeep: true, isTooMuch: false, hasOddNumbers };
    } else if (code === COMMA) {
      values += 1;
      if (values > valuesMax) return { isTooDeep: false, isTooMuch: true, hasOddNumbers };
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return { isTooDeep: false, isTooMuch: false, hasOddNumbers };
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, position: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(position - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
