/**
 * Searches a text for a pattern by following all states at once. So the time is at most the length of the text times the number of states.
 * Anybody who may start a run writes expressions, and backtracking over `(a+)+b` would stop the server.
 */
import type { EvaluationBudget } from '../evaluation-budget.ts';
import { type CharacterClass, isOfClass, isWord, kindAt } from './character-kinds.ts';
import type { PatternProgram, State } from './compile-pattern.ts';
import { PatternAutomaton } from './pattern-automaton.ts';
import {
  type Assertion,
  type CharacterSet,
  isInRanges,
  LINE_ENDS,
  otherCaseOf,
} from './pattern-syntax.ts';

/** Callers that search again keep the program. */
const automata = new WeakMap<PatternProgram, PatternAutomaton>();

/** True when the pattern matches somewhere in the text, regardless of case; null when the budget was spent before that. */
export function searchPattern(
  program: PatternProgram,
  subject: string,
  budget: Pick<EvaluationBudget, 'steps'>,
): boolean | null {
  let automaton = automata.get(program);
  if (automaton === undefined) {
    automaton = new PatternAutomaton(program);
    automata.set(program, automaton);
  }
  const found = automaton.search(subject, budget);
  return found === undefined ? searchAllStates(program, subject, budget) : found;
}

/** Searches any text, without learning transitions. */
export function searchAllStates(
  program: PatternProgram,
  subject: string,
  budget: Pick<EvaluationBudget, 'steps'>,
): boolean | null {
  return new Search(program, subject, budget).run();
}

class Search {
  readonly #states: readonly State[];
  readonly #start: number;
  readonly #isCaseSensitive: boolean;
  readonly #subject: string;
  readonly #budget: Pick<EvaluationBudget, 'steps'>;
  /** Per state, one more than the last position at which it was reached. */
  readonly #reachedAt: Uint32Array;
  /** States that wait for a character, at the position under way. */
  #waiting: number[] = [];
  #hasMatched = false;

  constructor(program: PatternProgram, subject: string, budget: Pick<EvaluationBudget, 'steps'>) {
    this.#states = program.states;
    this.#start = program.start;
    this.#isCaseSensitive = program.isCaseSensitive === true;
    this.#subject = subject;
    this.#budget = budget;
    this.#reachedAt = new Uint32Array(program.states.length);
  }

  run(): boolean | null {
    for (let at = 0; at <= this.#subject.length; at += 1) {
      // A match may begin anywhere.
      this.#reach(this.#start, at);
      if (this.#hasMatched) return true;
      this.#step(at);
      if (this.#hasMatched) return true;
      if (this.#budget.steps < 0) return null;
    }
    return false;
  }

  /** Takes the character at the position, and reaches what comes after it. */
  #step(at: number): void {
    const from = this.#waiting;
    this.#waiting = [];
    if (at === this.#subject.length) return;
    const code = this.#subject.charCodeAt(at);
    const other = this.#isCaseSensitive ? code : otherCaseOf(code);
    for (const index of from) {
      const state = this.#states[index];
      if (state?.kind !== 'set') continue;
      this.#budget.steps -= 1 + state.set.ranges.length + state.set.classes.length;
      if (this.#isIn(state.set, at, code, other) !== state.set.negated)
        this.#reach(state.next, at + 1);
    }
  }

  #isIn({ ranges, classes }: CharacterSet, at: number, code: number, other: number): boolean {
    if (isInRanges(ranges, code) || isInRanges(ranges, other)) return true;
    return classes.length > 0 && isOfAny(classes, kindAt(this.#subject, at));
  }

  /** Reaches a state and all that can be reached from it without a character. */
  #reach(start: number, at: number): void {
    const pending = [start];
    for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
      if (this.#reachedAt[index] === at + 1) continue;
      this.#reachedAt[index] = at + 1;
      this.#budget.steps -= 1;
      const state = this.#states[index];
      if (state !== undefined) this.#follow(state, index, at, pending);
    }
  }

  #follow(state: State, index: number, at: number, pending: number[]): void {
    switch (state.kind) {
      case 'match':
        this.#hasMatched = true;
        return;
      case 'set':
        this.#waiting.push(index);
        return;
      case 'fork':
        pending.push(state.next, state.other);
        return;
      case 'assertion':
        if (this.#isTrue(state.assertion, at)) pending.push(state.next);
    }
  }

  #isTrue(assertion: Assertion, at: number): boolean {
    switch (assertion) {
      case 'start':
        return at === 0;
      case 'end':
        return at === this.#subject.length;
      case 'line-start':
        return at === 0 || this.#isLineEndAt(at - 1);
      case 'line-end':
        return at === this.#subject.length || this.#isLineEndAt(at);
      case 'boundary':
        return this.#isWordAt(at - 1) !== this.#isWordAt(at);
      case 'inside':
        return this.#isWordAt(at - 1) === this.#isWordAt(at);
    }
  }

  #isWordAt(at: number): boolean {
    return isWord(kindAt(this.#subject, at));
  }

  #isLineEndAt(at: number): boolean {
    return isInRanges(LINE_ENDS, this.#subject.charCodeAt(at));
  }
}

function isOfAny(classes: readonly CharacterClass[], kind: number): boolean {
  for (const each of classes) {
    if (isOfClass(kind, each)) return true;
  }
  return false;
}
