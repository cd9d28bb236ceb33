/**
 * Transitions that a search has learnt: from a set of states and a character to the next set. For ASCII texts a search takes one look into
 * the table per character, once the table has them. Each look costs as much as following all states. Otherwise earlier searches would
 * decide whether an expression fits its budget.
 */
import type { EvaluationBudget } from '../evaluation-budget.ts';
import { type CharacterClass, isOfClass, isWord, kindAt } from './character-kinds.ts';
import type { PatternProgram, State } from './compile-pattern.ts';
import {
  type Assertion,
  type CharacterSet,
  isInRanges,
  LINE_ENDS,
  otherCaseOf,
} from './pattern-syntax.ts';

/** Sets of states that are kept of a pattern, of about 1 KiB each. With more of them, learning begins anew. */
const SETS_MAX = 64;

const ASCII = 0x80;
/** Stands for the end of the text, behind the characters. */
const END = ASCII;
const UNKNOWN = -1;
const MATCH = -2;

/** The previous character, as assertions need it. */
type Before = 'start' | 'word' | 'line-end' | 'other';

interface StateSet {
  /** States that were reached by the last character, in ascending order. */
  readonly states: readonly number[];
  readonly before: Before;
  /** The number of the next set, by character. */
  readonly next: Int16Array;
  /** The cost of reaching the next set in steps, by character. */
  readonly costs: Uint32Array;
}

/** Belongs to one program, and learns from search to search. */
export class PatternAutomaton {
  readonly #program: PatternProgram;
  #sets: StateSet[] = [];
  #numbers = new Map<string, number>();

  constructor(program: PatternProgram) {
    this.#program = program;
  }

  /** As `searchPattern`; undefined, without spending anything, for a text with a character that is not ASCII. */
  search(subject: string, budget: Pick<EvaluationBudget, 'steps'>): boolean | null | undefined {
    if (this.#sets.length === 0) this.#numberOf([], 'start');
    let { steps } = budget;
    let found: boolean | null = false;
    let set = this.#sets[0];
    for (let at = 0; at <= subject.length && set !== undefined; at += 1) {
      const code = at === subject.length ? END : subject.charCodeAt(at);
      if (code >= ASCII && at < subject.length) return undefined;
      const known = set.next[code] ?? UNKNOWN;
      const next: number = known === UNKNOWN ? this.#learn(set, code) : known;
      steps -= set.costs[code] ?? 0;
      if (next === MATCH) found = true;
      else if (steps < 0) found = null;
      if (found !== false) break;
      set = this.#sets[next];
    }
    budget.steps = steps;
    return found;
  }

  /** Follows all states of the set. Its own entry is written also when the other sets were forgotten meanwhile. */
  #learn(set: StateSet, code: number): number {
    const way = new Way(this.#program, set.before, code);
    const reached = way.follow(set.states);
    const next = reached === null ? MATCH : this.#numberOf(reached, beforeOf(code));
    set.costs[code] = way.steps;
    set.next[code] = next;
    return next;
  }

  #numberOf(states: readonly number[], before: Before): number {
    const key = `${before} ${states.join()}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    if (this.#sets.length === SETS_MAX) this.#forget();
    const next = new Int16Array(ASCII + 1).fill(UNKNOWN);
    this.#numbers.set(key, this.#sets.length);
    return this.#sets.push({ states, before, next, costs: new Uint32Array(ASCII + 1) }) - 1;
  }

  /** All but the set that searches begin with. */
  #forget(): void {
    this.#sets = [];
    this.#numbers = new Map();
    this.#numberOf([], 'start');
  }
}

function beforeOf(code: number): Before {
  if (isWordCode(code)) return 'word';
  return isLineEnd(code) ? 'line-end' : 'other';
}

const isWordCode = (code: number): boolean =>
  code < ASCII && isWord(kindAt(String.fromCharCode(code), 0));
const isLineEnd = (code: number): boolean => code < ASCII && isInRanges(LINE_ENDS, code);

/** From a set of states over one character, or over the end, to the next set. */
class Way {
  readonly #program: PatternProgram;
  readonly #before: Before;
  readonly #code: number;
  readonly #reached: Uint8Array;
  readonly #waiting: (State & { kind: 'set' })[] = [];
  #hasMatched = false;
  /** Steps that following the states took. */
  steps = 0;

  constructor(program: PatternProgram, before: Before, code: number) {
    this.#program = program;
    this.#before = before;
    this.#code = code;
    this.#reached = new Uint8Array(program.states.length);
  }

  /** The states after the character, in ascending order; null when the pattern matches before it. */
  follow(states: readonly number[]): readonly number[] | null {
    // A match may begin anywhere.
    this.#reach([...states, this.#program.start]);
    if (this.#hasMatched) return null;
    if (this.#code === END) return [];
    const other = this.#program.isCaseSensitive === true ? this.#code : otherCaseOf(this.#code);
    const next = new Set<number>();
    for (const state of this.#waiting) {
      this.steps += 1 + state.set.ranges.length + state.set.classes.length;
      if (this.#isIn(state.set, other) !== state.set.negated) next.add(state.next);
    }
    return [...next].sort((one, another) => one - another);
  }

  #reach(pending: number[]): void {
    for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
      if (this.#reached[index] === 1) continue;
      this.#reached[index] = 1;
      this.steps += 1;
      const state = this.#program.states[index];
      if (state !== undefined) this.#enter(state, pending);
    }
  }

  #enter(state: State, pending: number[]): void {
    switch (state.kind) {
      case 'match':
        this.#hasMatched = true;
        return;
      case 'set':
        this.#waiting.push(state);
        return;
      case 'fork':
        pending.push(state.next, state.other);
        return;
      case 'assertion':
        if (this.#isTrue(state.assertion)) pending.push(state.next);
    }
  }

  #isIn({ ranges, classes }: CharacterSet, other: number): boolean {
    if (isInRanges(ranges, this.#code) || isInRanges(ranges, other)) return true;
    const kind = kindAt(String.fromCharCode(this.#code), 0);
    return classes.some((each: CharacterClass) => isOfClass(kind, each));
  }

  #isTrue(assertion: Assertion): boolean {
    switch (assertion) {
      case 'start':
        return this.#before === 'start';
      case 'end':
        return this.#code === END;
      case 'line-start':
        return this.#before === 'start' || this.#before === 'line-end';
      case 'line-end':
        return this.#code === END || isLineEnd(this.#code);
      case 'boundary':
        return (this.#before === 'word') !== isWordCode(this.#code);
      case 'inside':
        return (this.#before === 'word') === isWordCode(this.#code);
    }
  }
}
