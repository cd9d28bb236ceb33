/** Evaluates expressions (wire facts part 6). `&&` and `||` give an operand, and evaluate no more than they need. */
import { shownValue } from '@tutti/manifests';
import { BoundedCache } from './bounded-cache.ts';
import {
  createBudget,
  type EvaluationBudget,
  exhaustion,
  STEPS_OF,
  spendSteps,
  stepsLeft,
  type Work,
} from './evaluation-budget.ts';
import { expressionError, missingEntryError } from './expression-error.ts';
import { type BuiltInFunction, findBuiltInFunction } from './functions.ts';
import { CACHE_SIZE_MAX, SUBJECT_LENGTH_MAX } from './limits.ts';
import { arityProblem, parseExpression } from './parse-expression.ts';
import { compilePattern, type PatternProgram } from './pattern/compile-pattern.ts';
import { searchPattern } from './pattern/search-pattern.ts';
import type { AccessNode, CallNode, ComparisonNode, Expression, ExpressionNode } from './syntax.ts';
import { toText } from './to-text.ts';
import { entryOf, isEqual, isTruthy, order, payForAll } from './values.ts';

/** The contexts and functions that an expression can use. */
export interface Scope {
  /** Contexts by name: JSON values. */
  readonly contexts: Readonly<Record<string, unknown>>;
  /** Functions without arguments beside the built-in ones; mostly the status functions, where they have a meaning. */
  readonly functions?: Readonly<Record<string, () => unknown>> | undefined;
  /** Functions that the language has in the place of the scope alone. */
  readonly library?: readonly BuiltInFunction[] | undefined;
  /** Shared by all evaluations in the scope; without one, each call of this package has its own. */
  readonly budget?: EvaluationBudget | undefined;
}

interface Evaluation {
  readonly source: string;
  readonly scope: Scope;
  readonly budget: EvaluationBudget;
}

/**
 * The value of an expression (without its `${{ }}`). Throws `Invalid` with the position. Causes: wrong syntax, unknown contexts or
 * functions, entries of a missing value, and a spent budget.
 */
export function evaluateExpression(expression: string | Expression, scope: Scope): unknown {
  const { root, evaluation } = begin(expression, scope);
  return evaluate(root, evaluation);
}

/** The text of its value, as it is inserted into a longer text. Throws `Invalid`, also for a text that is too long. */
export function evaluateToText(expression: string, scope: Scope): string {
  const { root, evaluation } = begin(expression, scope);
  return toText(evaluate(root, evaluation), workAt(root.at, evaluation));
}

/** The value, as it becomes part of a document: all that is in it is paid for. Throws `Invalid`. */
export function evaluateToInsert(expression: string, scope: Scope): unknown {
  const { root, evaluation } = begin(expression, scope);
  const value = evaluate(root, evaluation);
  payForAll(value, workAt(root.at, evaluation));
  return value;
}

function begin(
  expression: string | Expression,
  scope: Scope,
): { readonly root: ExpressionNode; readonly evaluation: Evaluation } {
  const budget = scope.budget ?? createBudget();
  if (typeof expression === 'string') payForSource(expression, budget);
  const { source, root } =
    typeof expression === 'string' ? parseExpression(expression) : expression;
  return { root, evaluation: { source, scope, budget } };
}

/** Parsing takes longer than most evaluations. Throws `Invalid` when the budget is spent. */
export function payForSource(source: string, budget: EvaluationBudget): void {
  spendSteps(budget, source.length * STEPS_OF.sourceCharacter);
  if (stepsLeft(budget) < 0) throw expressionError(source, 0, exhaustion(budget));
}

function workAt(at: number, { source, budget }: Evaluation): Work {
  const refuse = (problem: string, cause?: unknown) => expressionError(source, at, problem, cause);
  return {
    refuse,
    spend: (steps) => {
      spendSteps(budget, steps);
      if (stepsLeft(budget) < 0) throw refuse(exhaustion(budget));
    },
  };
}

function evaluate(node: ExpressionNode, evaluation: Evaluation): unknown {
  const work = workAt(node.at, evaluation);
  work.spend(STEPS_OF.node);
  switch (node.kind) {
    case 'literal':
      return node.value;
    case 'context':
      return lookUpContext(node.name, evaluation, work);
    case 'access':
      return access(node, evaluation);
    case 'call':
      return call(node, evaluation, work);
    case 'not':
      return !isTruthy(evaluate(node.operand, evaluation), work);
    case 'comparison':
      return compare(node, evaluation, work);
    case 'and':
      return firstWhere(node.operands, evaluation, (value) => !isTruthy(value, work));
    case 'or':
      return firstWhere(node.operands, evaluation, (value) => isTruthy(value, work));
  }
}

/** The first operand that decides, else the last one; those after it are not evaluated. */
function firstWhere(
  operands: readonly ExpressionNode[],
  evaluation: Evaluation,
  decides: (value: unknown) => boolean,
): unknown {
  let value: unknown = null;
  for (const operand of operands) {
    value = evaluate(operand, evaluation);
    if (decides(value)) return value;
  }
  return value;
}

function lookUpContext(name: string, { scope }: Evaluation, work: Work): unknown {
  const value = Object.hasOwn(scope.contexts, name) ? scope.contexts[name] : undefined;
  if (value !== undefined) return value;
  throw work.refuse(`Invalid segment ${name} or incorrect function call`);
}

/** A missing last entry is the empty text; one on the way there is an error. */
function access(node: AccessNode, evaluation: Evaluation): unknown {
  let value = evaluate(node.target, evaluation);
  for (const [index, keyNode] of node.keys.entries()) {
    const key = toText(evaluate(keyNode, evaluation), workAt(keyNode.at, evaluation));
    const isLast = index === node.keys.length - 1;
    const entry = entryOf(value, key);
    if (entry === undefined && !isLast) {
      throw missingEntryError(evaluation.source, keyNode.at, `no entry ${shownValue(key)}`);
    }
    value = entry ?? (entry === null ? null : '');
  }
  return value;
}

function call(node: CallNode, evaluation: Evaluation, work: Work): unknown {
  const given = findGivenFunction(node.name, evaluation.scope);
  if (given !== undefined) {
    if (node.args.length > 0) throw work.refuse(`${node.name}() takes no argument`);
    return given();
  }
  const builtIn = findBuiltInFunction(node.name) ?? findInLibrary(node, evaluation.scope, work);
  if (builtIn === undefined) throw work.refuse(`unknown function ${node.name}()`);
  const args = node.args.map((arg) => evaluate(arg, evaluation));
  return builtIn.apply(args, work);
}

/** The parser has not looked at these, so their arguments are counted here. */
function findInLibrary(
  { name, args }: CallNode,
  { library = [] }: Scope,
  work: Work,
): BuiltInFunction | undefined {
  const found = library.find((each) => each.name.toLowerCase() === name.toLowerCase());
  const problem = found === undefined ? null : arityProblem(found, args.length);
  if (problem !== null) throw work.refuse(problem);
  return found;
}

function findGivenFunction(name: string, scope: Scope): (() => unknown) | undefined {
  const wanted = name.toLowerCase();
  const entries = Object.entries(scope.functions ?? {});
  return entries.find(([given]) => given.toLowerCase() === wanted)?.[1];
}

function compare(node: ComparisonNode, evaluation: Evaluation, work: Work): boolean {
  const left = evaluate(node.left, evaluation);
  const right = evaluate(node.right, evaluation);
  switch (node.operator) {
    case '==':
      return isEqual(left, right, work);
    case '!=':
      return !isEqual(left, right, work);
    case '<':
      return order(left, right, work) < 0;
    case '<=':
      return order(left, right, work) <= 0;
    case '>':
      return order(left, right, work) > 0;
    case '>=':
      return order(left, right, work) >= 0;
    case '~=':
      return matchPattern(left, right, evaluation.budget, work);
  }
}

/** Patterns are mostly written out in expressions that are evaluated again and again. */
const patterns = new BoundedCache<PatternProgram>(CACHE_SIZE_MAX);

function matchPattern(
  subject: unknown,
  pattern: unknown,
  budget: EvaluationBudget,
  work: Work,
): boolean {
  if (typeof subject !== 'string' || typeof pattern !== 'string') {
    throw work.refuse('"~=" matches a text with a pattern, both must be texts');
  }
  if (subject.length > SUBJECT_LENGTH_MAX) {
    throw work.refuse(`"~=" takes a text of at most ${SUBJECT_LENGTH_MAX} characters`);
  }
  const program = patterns.get(pattern, compilePattern);
  work.spend(program.states.length * STEPS_OF.patternState);
  const search = createBudget(Math.floor(stepsLeft(budget) / STEPS_OF.patternState));
  const before = search.steps;
  const found = searchPattern(program, subject, search);
  spendSteps(budget, (before - search.steps) * STEPS_OF.patternState);
  if (found === null) throw work.refuse(exhaustion(budget));
  return found;
}
