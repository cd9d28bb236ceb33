/**
 * Columns for the usual fields of selectors on events: kinds, names, ids and labels. They decide most events, so a new question
 * need not read all events.
 */
import type { Steps } from '@tutti/manifests';
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

/** Events of a run by a selector, as sequence numbers. */
export interface Decided {
  readonly chosen: readonly number[];
  /** Events that must be read. */
  readonly open: readonly number[];
}

/** The decision for one event, or for one value of a column. */
const NO = 0;
const YES = 1;
const OPEN = 2;

/** Between two looks at the time: each takes a millisecond at most. */
const STEP_VALUES = 256;
const STEP_EVENTS = 16 * 1024;

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

  /** Events from `first` to `last`, which are known, that meet all conditions. Events that are learnt meanwhile change nothing. */
  *decide(conditions: readonly Condition[], first: number, last: number): Steps<Decided> {
    const answers = new Uint8Array(last + 1).fill(YES);
    for (const condition of conditions) {
      const column = this.#columns.find(({ path }) =>
        path.every((name, index) => condition.path[index] === name),
      );
      if (column === undefined) openAll(answers);
      else yield* column.answer(condition, answers, first);
    }
    const chosen: number[] = [];
    const open: number[] = [];
    for (let seq = first; seq <= last; seq += 1) {
      if (answers[seq] === YES) chosen.push(seq);
      if (answers[seq] === OPEN) open.push(seq);
      if (seq % STEP_EVENTS === 0) yield;
    }
    return { chosen, open };
  }
}

/** Nothing is known about a condition; an earlier refusal stays. */
function openAll(answers: Uint8Array): void {
  for (const [seq, answer] of answers.entries()) if (answer === YES) answers[seq] = OPEN;
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

  /** Puts the answers of one condition to those of the conditions before it, by sequence numbers. */
  *answer(condition: Condition, answers: Uint8Array, first: number): Steps<void> {
    const rest = condition.path.slice(this.path.length);
    const ofValues = new Uint8Array(this.#values.length);
    for (let code = 0; code < ofValues.length; code += 1) {
      ofValues[code] = holdsFor(condition, valueAt(this.#values[code], rest)) ? YES : NO;
      if (code % STEP_VALUES === 0) yield;
    }
    ofValues[UNKNOWN] = OPEN;
    const codes = this.#ofEvents;
    for (let seq = first; seq < answers.length; seq += 1) {
      const answer = ofValues[codes[seq - 1] ?? UNKNOWN] ?? OPEN;
      // A refusal stays, and an open event can only be refused.
      if (answer === NO || answers[seq] === YES) answers[seq] = answer;
      if (seq % STEP_EVENTS === 0) yield;
    }
  }
}
