/** Turns a parsed pattern into a program: a graph of states without dead ends. */
import { patternError } from '../expression-error.ts';
import { PATTERN_STATES_MAX } from '../limits.ts';
import { parsePattern } from './parse-pattern.ts';
import type { Assertion, CharacterSet, PatternNode } from './pattern-syntax.ts';

/** Numbers are indices of states. `next` of a fork is set once its target exists. */
export type State =
  | { readonly kind: 'match' }
  | { readonly kind: 'set'; readonly set: CharacterSet; readonly next: number }
  | { readonly kind: 'assertion'; readonly assertion: Assertion; readonly next: number }
  | { readonly kind: 'fork'; next: number; readonly other: number };

export interface PatternProgram {
  readonly states: readonly State[];
  readonly start: number;
  /** Absent, a letter stands for both of its cases. */
  readonly isCaseSensitive?: boolean;
}

/** Nodes visited while compiling; repetitions visit theirs many times, and empty ones add no state. */
const COMPILE_STEPS_MAX = 10 * PATTERN_STATES_MAX;

/** Compiles a pattern; throws `Invalid` for what cannot be parsed and for what would need too many states. */
export function compilePattern(pattern: string): PatternProgram {
  return new PatternCompiler().compile(checkPattern(pattern));
}

/** Parses a pattern and finds its cost without compiling it: a manifest may have a million of them. Throws as `compilePattern`. */
export function checkPattern(pattern: string): PatternNode {
  const node = parsePattern(pattern);
  const { states, steps } = costOf(node);
  // One more state for the match.
  if (states + 1 <= PATTERN_STATES_MAX && steps <= COMPILE_STEPS_MAX) return node;
  throw patternError(pattern, 0, 'too many repetitions in the pattern');
}

interface Cost {
  readonly states: number;
  /** Nodes that the compiler visits. */
  readonly steps: number;
}

function costOf(node: PatternNode): Cost {
  switch (node.kind) {
    case 'set':
    case 'assertion':
      return { states: 1, steps: 1 };
    case 'sequence':
      return sumOf(node.items.map(costOf), 0);
    case 'choice':
      return sumOf(node.options.map(costOf), node.options.length - 1);
    case 'repetition':
      return costOfRepetition(node);
  }
}

function sumOf(costs: readonly Cost[], forks: number): Cost {
  return {
    states: costs.reduce((sum, { states }) => sum + states, forks),
    steps: costs.reduce((sum, { steps }) => sum + steps, 1),
  };
}

function costOfRepetition({ item, min, max }: PatternNode & { kind: 'repetition' }): Cost {
  const { states, steps } = costOf(item);
  const forks = max === Number.POSITIVE_INFINITY ? 1 : max - min;
  return { states: (min + forks) * states + forks, steps: 1 + (min + forks) * steps };
}

class PatternCompiler {
  readonly #states: State[] = [{ kind: 'match' }];

  compile(pattern: PatternNode): PatternProgram {
    const start = this.#compileNode(pattern, 0);
    return { states: this.#states, start };
  }

  /** Adds the states of a node that go on to `next`; the result is where the node begins. */
  #compileNode(node: PatternNode, next: number): number {
    switch (node.kind) {
      case 'set':
        return this.#add({ kind: 'set', set: node.set, next });
      case 'assertion':
        return this.#add({ kind: 'assertion', assertion: node.assertion, next });
      case 'sequence':
        return node.items.reduceRight((after, item) => this.#compileNode(item, after), next);
      case 'choice':
        return this.#compileChoice(node.options, next);
      case 'repetition':
        return this.#compileRepetition(node, next);
    }
  }

  #compileChoice(options: readonly PatternNode[], next: number): number {
    const starts = options.map((option) => this.#compileNode(option, next));
    return starts.reduceRight((other, start) => this.#add({ kind: 'fork', next: start, other }));
  }

  #compileRepetition(node: PatternNode & { kind: 'repetition' }, next: number): number {
    let start = node.max === Number.POSITIVE_INFINITY ? this.#compileLoop(node.item, next) : next;
    const optional = node.max === Number.POSITIVE_INFINITY ? 0 : node.max - node.min;
    for (let count = 0; count < optional; count += 1) {
      const once = this.#compileNode(node.item, start);
      start = this.#add({ kind: 'fork', next: once, other: next });
    }
    for (let count = 0; count < node.min; count += 1) start = this.#compileNode(node.item, start);
    return start;
  }

  #compileLoop(item: PatternNode, next: number): number {
    const fork: State = { kind: 'fork', next, other: next };
    const start = this.#add(fork);
    fork.next = this.#compileNode(item, start);
    return start;
  }

  #add(state: State): number {
    return this.#states.push(state) - 1;
  }
}
