/**
 * Parser of the expression language (wire facts 6.2). `&&` binds tighter than `||`, as in every language that authors know; the
 * oldest implementation gave both the same precedence.
 */
import { countOf } from '@tutti/manifests';
import { BoundedCache } from './bounded-cache.ts';
import { expressionError } from './expression-error.ts';
import { type BuiltInFunction, findBuiltInFunction, isStatusFunction } from './functions.ts';
import { CACHE_SIZE_MAX, CACHED_LENGTH_MAX, DEPTH_MAX, EXPRESSION_LENGTH_MAX } from './limits.ts';
import { checkPattern } from './pattern/compile-pattern.ts';
import type { ComparisonOperator, Expression, ExpressionNode } from './syntax.ts';
import { type Token, tokenize } from './tokenize.ts';

const cache = new BoundedCache<Expression>(CACHE_SIZE_MAX);

const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

export const isConstant = (word: string): boolean => CONSTANTS.has(word.toLowerCase());

const COMPARISON_OPERATORS: ReadonlyMap<string, ComparisonOperator> = new Map(
  (['==', '!=', '<', '<=', '>', '>=', '~='] as const).map((operator) => [operator, operator]),
);

/** Parses an expression without its `${{ }}`; throws `Invalid` with the position and the offending piece. */
export function parseExpression(text: string): Expression {
  const source = text.trim();
  return source.length > CACHED_LENGTH_MAX ? parseSource(source) : cache.get(source, parseSource);
}

function parseSource(source: string): Expression {
  if (source === '') throw expressionError(source, 0, 'expected a value');
  if (source.length > EXPRESSION_LENGTH_MAX) {
    const problem = `longer than ${EXPRESSION_LENGTH_MAX} characters`;
    throw expressionError(source, EXPRESSION_LENGTH_MAX, problem);
  }
  return { source, root: new Parser(source).parse() };
}

/** Names of contexts in workflows of 2021 (wire facts 6.7). */
const FORMER_NAMES: ReadonlyMap<string, string> = new Map([['squashtf', 'opentf']]);

export const nameOfContext = (name: string): string => FORMER_NAMES.get(name) ?? name;

class Parser {
  readonly #source: string;
  readonly #tokens: readonly Token[];
  #index = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
    this.#tokens = tokenize(source);
  }

  parse(): ExpressionNode {
    const root = this.#parseOr();
    if (this.#next().type !== 'end') throw this.#unexpected('expected an operator or the end');
    return root;
  }

  #parseOr(): ExpressionNode {
    return this.#parseChain('or', '||', () => this.#parseAnd());
  }

  #parseAnd(): ExpressionNode {
    return this.#parseChain('and', '&&', () => this.#parseComparison());
  }

  #parseChain(kind: 'and' | 'or', symbol: string, parse: () => ExpressionNode): ExpressionNode {
    const first = parse();
    const operands = [first];
    while (this.#skip(symbol)) operands.push(parse());
    return operands.length === 1 ? first : { kind, operands, at: first.at };
  }

  #parseComparison(): ExpressionNode {
    const left = this.#parseUnary();
    const { at, text, type } = this.#next();
    const operator = type === 'symbol' ? COMPARISON_OPERATORS.get(text) : undefined;
    if (operator === undefined) return left;
    this.#index += 1;
    const right = this.#parseUnary();
    // A pattern that is written out is checked at once, not when the step is reached.
    if (operator === '~=' && right.kind === 'literal' && typeof right.value === 'string') {
      checkPattern(right.value);
    }
    return { kind: 'comparison', operator, left, right, at };
  }

  #parseUnary(): ExpressionNode {
    const { at } = this.#next();
    if (!this.#skip('!')) return this.#parseAccess();
    return { kind: 'not', operand: this.#nested(() => this.#parseUnary()), at };
  }

  #parseAccess(): ExpressionNode {
    const target = this.#parsePrimary();
    const keys: ExpressionNode[] = [];
    for (let key = this.#parseKey(); key !== null; key = this.#parseKey()) keys.push(key);
    if (keys.length === 0) return target;
    if (target.kind === 'literal') throw this.#unexpectedAt(keys[0]?.at ?? target.at);
    return { kind: 'access', target, keys, at: target.at };
  }

  /** `.name` or `[expression]`; null when there is neither. */
  #parseKey(): ExpressionNode | null {
    if (this.#skip('.')) {
      const { type, text, at } = this.#next();
      if (type !== 'word') throw this.#unexpected('expected a name after "."');
      this.#index += 1;
      return { kind: 'literal', value: text, at };
    }
    if (!this.#skip('[')) return null;
    const key = this.#nested(() => this.#parseOr());
    this.#expect(']');
    return key;
  }

  #parsePrimary(): ExpressionNode {
    const token = this.#next();
    if (this.#skip('(')) {
      const inner = this.#nested(() => this.#parseOr());
      this.#expect(')');
      return inner;
    }
    if (token.type !== 'literal' && token.type !== 'word')
      throw this.#unexpected('expected a value');
    this.#index += 1;
    if (token.type === 'literal') return { kind: 'literal', value: token.value, at: token.at };
    return this.#parseWord(token.text, token.at);
  }

  #parseWord(word: string, at: number): ExpressionNode {
    const constant = CONSTANTS.get(word.toLowerCase());
    if (constant !== undefined) return { kind: 'literal', value: constant, at };
    if (!this.#skip('(')) return { kind: 'context', name: nameOfContext(word), at };
    const args = this.#nested(() => this.#parseArguments());
    this.#checkArity(word, args.length, at);
    return { kind: 'call', name: word, args, at };
  }

  /** The rest of `(a, b)`, whose opening parenthesis is read. */
  #parseArguments(): readonly ExpressionNode[] {
    if (this.#skip(')')) return [];
    const args = [this.#parseOr()];
    while (this.#skip(',')) args.push(this.#parseOr());
    this.#expect(')');
    return args;
  }

  #checkArity(name: string, count: number, at: number): void {
    if (count > 0 && isStatusFunction(name)) {
      throw expressionError(this.#source, at, `${name}() takes no argument`);
    }
    const builtIn = findBuiltInFunction(name);
    const problem = builtIn === undefined ? null : arityProblem(builtIn, count);
    if (problem !== null) throw expressionError(this.#source, at, `${problem},`);
  }

  #nested<Result>(parse: () => Result): Result {
    this.#depth += 1;
    if (this.#depth > DEPTH_MAX) throw this.#unexpected(`nested deeper than ${DEPTH_MAX}`);
    const result = parse();
    this.#depth -= 1;
    return result;
  }

  #next(): Token {
    return this.#tokens[this.#index] ?? { type: 'end', text: '', at: this.#source.length };
  }

  #skip(symbol: string): boolean {
    const { type, text } = this.#next();
    const found = type === 'symbol' && text === symbol;
    if (found) this.#index += 1;
    return found;
  }

  #expect(symbol: string): void {
    if (!this.#skip(symbol)) throw this.#unexpected(`expected "${symbol}"`);
  }

  /** An operator as other languages write it, where the reading stops; null for none. */
  #wordOperator(): Error | null {
    const before = this.#tokens[this.#index - 1];
    const { type, text, at } = this.#next();
    const isNegated = before?.type === 'word' && before.text.toLowerCase() === 'not';
    if (isNegated && (type === 'word' || type === 'literal')) {
      return expressionError(this.#source, before.at, wordOperator(before.text, NEGATION));
    }
    const meant = type === 'word' ? WORD_OPERATORS.get(text.toLowerCase()) : undefined;
    return meant === undefined
      ? null
      : expressionError(this.#source, at, wordOperator(text, meant));
  }

  #unexpected(problem: string): Error {
    const wrong = this.#wordOperator();
    if (wrong !== null) return wrong;
    const { type, text, at } = this.#next();
    const found = type === 'end' ? 'the end' : JSON.stringify(text.slice(0, 20));
    return expressionError(this.#source, at, `${problem} but found ${found}`);
  }

  #unexpectedAt(at: number): Error {
    return expressionError(this.#source, at, 'a literal has no entries');
  }
}

const NEGATION = 'negation is "!"';

const WORD_OPERATORS: ReadonlyMap<string, string> = new Map([
  ['and', 'conjunction is "&&"'],
  ['or', 'disjunction is "||"'],
]);

const wordOperator = (word: string, meant: string): string => `unexpected "${word}" (${meant})`;

/** Why a function cannot take so many arguments; null when it can. */
export function arityProblem(
  { name, argsMin, argsMax }: BuiltInFunction,
  count: number,
): string | null {
  if (count >= argsMin && count <= argsMax) return null;
  return `${name}() takes ${describeArity(argsMin, argsMax)}, not ${count}`;
}

function describeArity(min: number, max: number): string {
  if (min === max) return countOf(min, 'argument');
  return max === Number.POSITIVE_INFINITY
    ? `at least ${countOf(min, 'argument')}`
    : `${min} to ${countOf(max, 'argument')}`;
}
