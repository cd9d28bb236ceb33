/**
 * Columns for the usual fields of selectors on events: kinds, names, ids and labels. They decide most events, so a new question
 * need not read all events.
 */
import { type Condition, holdsFor, valueAt } from '@tutti/selectors';

const PATHS: readonly (readonly string[])[] = [
  ['kind'],
  ['apiVersion'],
  ['status'],
  ['metadata', 'name'],
  ['metadata', 'step_id'],
  ['metadata', 'job_id'],
  ['metadata', 'labels'],
];

/** Limit for stored JSON values, in characters: of longer ones only the presence is known. */
const VALUE_LENGTH_MAX = 512;
/** Memory of an event besides its values, and of a value besides its text, in bytes. */
const EVENT_BYTES = 8 * PATHS.length;
const VALUE_BYTES = 128;

/** Sequence numbers of events. */
export interface Decided {
  readonly chosen: readonly number[];
  /** Events that must be read. */
  readonly open: readonly number[];
}

/** The decision for one event, or for one value of a column. */
const NO = 0;
const YES = 1;
const OPEN = 2;

export class RunFacts {
  readonly #columns = PATHS.map((path) => new Column(path));
  #seen = 0;
  #bytes = 0;

  /** Number of known events, from the first on. */
  get seen(): number {
    return this.#seen;
  }

  /** Memory, roughly. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes events in the order of the log; others are ignored. */
  learn(seq: number, event: object): void {
    if (seq !== this.#seen + 1) return;
    for (const column of this.#columns) this.#bytes += column.add(this.#seen, event);
    this.#bytes += EVENT_BYTES;
    this.#seen = seq;
  }

  /** Events from `first` on that meet all conditions. */
  decide(conditions: readonly Condition[], first: number): Decided {
    const chosen: number[] = [];
    const open: number[] = [];
    const asked = conditions.map((condition) => this.#ask(condition));
    for (let seq = first; seq <= this.#seen; seq += 1) {
      const answer = answerOf(asked, seq - 1);
      if (answer === YES) chosen.push(seq);
      if (answer === OPEN) open.push(seq);
    }
    return { chosen, open };
  }

  #ask(condition: Condition): Asked | null {
    const column = this.#columns.find(({ path }) =>
      path.every((name, index) => condition.path[index] === name),
    );
    return column?.ask(condition) ?? null;
  }
}

/** Answers by the codes of a column. */
interface Asked {
  readonly codes: Uint32Array;
  readonly answers: Uint8Array;
}

/** Null stands for a condition without known facts. */
function answerOf(asked: readonly (Asked | null)[], index: number): number {
  let answer = YES;
  for (const one of asked) {
    const next = one === null ? OPEN : one.answers[one.codes[index] ?? UNKNOWN];
    if (next === NO) return NO;
    if (next !== YES) answer = OPEN;
  }
  return answer;
}

/** Codes for a missing value, and for an unstored one. */
const ABSENT = 0;
const UNKNOWN = 1;

/** Values of events at one path, as codes. */
class Column {
  readonly path: readonly string[];
  readonly #values: unknown[] = [undefined, undefined];
  readonly #codes = new Map<string, number>();
  #ofEvents = new Uint32Array(1_024);

  constructor(path: readonly string[]) {
    this.path = path;
  }

  /** Returns the additional memory in bytes. */
  add(index: number, event: object): number {
    if (index === this.#ofEvents.length) this.#grow();
    const value = valueAt(event, this.path);
    if (value === undefined) return this.#note(index, ABSENT);
    const text = JSON.stringify(value);
    const known = this.#codes.get(text);
    if (known !== undefined) return this.#note(index, known);
    if (text.length > VALUE_LENGTH_MAX) return this.#note(index, UNKNOWN);
    const code = this.#values.push(value) - 1;
    this.#codes.set(text, code);
    return this.#note(index, code) + VALUE_BYTES + 2 * text.length;
  }

  #note(index: number, code: number): number {
    this.#ofEvents[index] = code;
    return 0;
  }

  #grow(): void {
    const larger = new Uint32Array(2 * this.#ofEvents.length);
    larger.set(this.#ofEvents);
    this.#ofEvents = larger;
  }

  ask(condition: Condition): Asked {
    const rest = condition.path.slice(this.path.length);
    const answers = Uint8Array.from(this.#values, (value) =>
      holdsFor(condition, valueAt(value, rest)) ? YES : NO,
    );
    answers[UNKNOWN] = OPEN;
    return { codes: this.#ofEvents, answers };
  }
}
