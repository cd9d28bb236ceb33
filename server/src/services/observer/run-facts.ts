/**
 * What selectors mostly ask of the events of a run, in columns: kinds, names, ids and labels. Whether an event is chosen is mostly known
 * from them, so that a question which was not asked before needs not read all events.
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

/** JSON texts of values that are kept, in characters: of all others it is known only that they are there. */
const VALUE_LENGTH_MAX = 512;
/** What an event takes beside its values, in bytes, and a value beside its text. */
const EVENT_BYTES = 8 * PATHS.length;
const VALUE_BYTES = 128;

/** Sequence numbers of events. */
export interface Decided {
  readonly chosen: readonly number[];
  /** Those that have to be read. */
  readonly open: readonly number[];
}

/** What is known of one event, or of one value of a column. */
const NO = 0;
const YES = 1;
const OPEN = 2;

export class RunFacts {
  readonly #columns = PATHS.map((path) => new Column(path));
  #seen = 0;
  #bytes = 0;

  /** Events that are known: so many from the first on. */
  get seen(): number {
    return this.#seen;
  }

  /** Memory, roughly. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Events come in the order of the log; any other is passed over. */
  learn(seq: number, event: object): void {
    if (seq !== this.#seen + 1) return;
    for (const column of this.#columns) this.#bytes += column.add(this.#seen, event);
    this.#bytes += EVENT_BYTES;
    this.#seen = seq;
  }

  /** Which of the events from `first` on all conditions hold for. */
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

/** Null is a condition of which nothing is known. */
function answerOf(asked: readonly (Asked | null)[], index: number): number {
  let answer = YES;
  for (const one of asked) {
    const next = one === null ? OPEN : one.answers[one.codes[index] ?? UNKNOWN];
    if (next === NO) return NO;
    if (next !== YES) answer = OPEN;
  }
  return answer;
}

/** Codes of nothing, and of what is not kept. */
const ABSENT = 0;
const UNKNOWN = 1;

/** What events have at one path: for each a code of its value. */
class Column {
  readonly path: readonly string[];
  readonly #values: unknown[] = [undefined, undefined];
  readonly #codes = new Map<string, number>();
  #ofEvents = new Uint32Array(1_024);

  constructor(path: readonly string[]) {
    this.path = path;
  }

  /** Answers what it takes more, in bytes. */
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
