/**
 * Reads reports in JSON: values at given places are taken as a whole, and others are skipped. Values are bounded: long strings
 * are cut, and excess parts are dropped.
 */
import type { FormatReader } from '../format-reader.ts';
import { type JsonScalar, JsonTokenizer } from './json-tokenizer.ts';

export type JsonValue = JsonScalar | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

const VALUE_LIMITS = {
  /** Limits for one string, and for all strings of a taken value, in characters. */
  stringLength: 32 * 1024,
  length: 1024 * 1024,
  /** Values in a value that is taken. */
  parts: 20_000,
} as const;

/** The entry of a path that is any element of a list. */
export const ANY = '*';

export interface JsonFormat {
  /** Paths of taken values, such as `results/tests/*`. */
  readonly taken: readonly string[];
  /** Keys that are left out of taken values, at any depth. */
  readonly skipped: readonly string[];
  take(path: string, value: JsonValue): void;
  /** An object or a list ended that was walked through. */
  leave(path: string, kind: 'object' | 'list'): void;
  end(): void;
  /** Releases held-back cases, for a report that cannot be read to its end. */
  abandon(): void;
}

export function createJsonReader(format: JsonFormat): FormatReader {
  const tokenizer = new JsonTokenizer(new Walker(format));
  return {
    write: (text) => tokenizer.write(text),
    end() {
      tokenizer.end();
      format.end();
    },
    abandon: () => format.abandon(),
    place: () => tokenizer.place(),
  };
}

type Container = JsonValue[] | Map<string, JsonValue>;

/** Either skips through the document, or builds a taken value. */
class Walker {
  readonly #format: JsonFormat;
  readonly #taken: ReadonlySet<string>;
  readonly #skipped: ReadonlySet<string>;
  /** Names and kinds of the open objects and lists. */
  readonly #path: string[] = [];
  readonly #kinds: ('object' | 'list')[] = [];
  #key = '';
  /** Open parts of the value that is taken; empty while none is. */
  readonly #building: Container[] = [];
  /** Depth of open objects and lists that are skipped. */
  #skipDepth = 0;
  #parts = 0;
  #length = 0;

  constructor(format: JsonFormat) {
    this.#format = format;
    this.#taken = new Set(format.taken);
    this.#skipped = new Set(format.skipped);
  }

  key(name: string): void {
    this.#key = name;
  }

  room(): number {
    if (this.#skipDepth > 0 || this.#isLeftOut()) return 0;
    if (this.#building.length === 0) {
      return this.#taken.has(this.#here()) ? VALUE_LIMITS.stringLength : 0;
    }
    return Math.min(VALUE_LIMITS.stringLength, VALUE_LIMITS.length - this.#length);
  }

  open(kind: 'object' | 'list'): void {
    if (this.#skipDepth > 0 || this.#isLeftOut()) {
      this.#skipDepth += 1;
    } else if (this.#building.length > 0 || this.#taken.has(this.#here())) {
      this.#building.push(kind === 'list' ? [] : new Map());
      this.#parts += 1;
    }
    this.#path.push(this.#name());
    this.#kinds.push(kind);
  }

  close(): void {
    const kind = this.#kinds.pop() ?? 'object';
    this.#key = this.#path.pop() ?? '';
    if (this.#skipDepth > 0) {
      this.#skipDepth -= 1;
      return;
    }
    const built = this.#building.pop();
    if (built === undefined) this.#format.leave(this.#here(), kind);
    else this.#give(Array.isArray(built) ? built : Object.fromEntries(built));
  }

  scalar(value: JsonScalar): void {
    if (this.#skipDepth > 0 || this.#isLeftOut()) return;
    this.#parts += 1;
    if (typeof value === 'string') this.#length += value.length;
    if (this.#building.length > 0 || this.#taken.has(this.#here())) this.#give(value);
  }

  #give(value: JsonValue): void {
    const around = this.#building.at(-1);
    if (around === undefined) {
      this.#parts = 0;
      this.#length = 0;
      this.#format.take(this.#here(), value);
    } else if (Array.isArray(around)) around.push(value);
    else around.set(this.#name(), value);
  }

  #isLeftOut(): boolean {
    if (this.#building.length === 0) return false;
    const isInObject = this.#kinds.at(-1) === 'object';
    return this.#parts > VALUE_LIMITS.parts || (isInObject && this.#skipped.has(this.#key));
  }

  /** The name of the current value in its object or list. */
  #name(): string {
    return this.#kinds.at(-1) === 'list' ? ANY : this.#kinds.length === 0 ? '' : this.#key;
  }

  #here(): string {
    return [...this.#path.slice(1), ...(this.#kinds.length === 0 ? [] : [this.#name()])].join('/');
  }
}

export function objectOf(value: JsonValue | undefined): JsonObject {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : {};
}

export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function numberOf(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}
