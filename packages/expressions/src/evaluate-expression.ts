/** Evaluates expressions (wire facts part 6). `&&` and `||` give an operand, and evaluate no more than they need. */
import { expressionError } from './expression-error.ts';
import { findBuiltInFunction } from './functions.ts';
import { PATTERN_STEPS_MAX, SUBJECT_LENGTH_MAX } from './limits.ts';
import { parseExpression } from './parse-expression.ts';
import { compilePatternCached } from './pattern/pattern-cache.ts';
import { type StepBudget, searchPattern } from './pattern/search-pattern.ts';
import type { AccessNode, CallNode, ComparisonNode, Expression, ExpressionNode } from './syntax.ts';
import { entryOf, isEqual, isTruthy, order, toText } from './values.ts';

/** What an expression can see. */
export interface Scope {
  /** Contexts by name: JSON values. */
  readonly contexts: Readonly<Record<string, unknown>>;
  /** Functions without arguments beside the built-in ones; mostly the status functions, where they have a meaning. */
  readonly functions?: Readonly<Record<string, () => unknown>> | undefined;
}

interface Evaluation {
  readonly source: string;
  readonly scope: Scope;
  /** Shared by all patterns of the expression. */
  readonly patternBudget: StepBudget;
}

/**
 * The value of an expression (without its `${{ }}`); throws `Invalid` with the position for what cannot be parsed, for unknown
 * contexts and functions, and for an entry that is looked up in what does not exist.
 */
export function evaluateExpression(expression: string | Expression, scope: Scope): unknown {
  const { source, root } =
    typeof expression === 'string' ? parseExpression(expression) : expression;
  return evaluate(root, { source, scope, patternBudget: { steps: PATTERN_STEPS_MAX } });
}

function evaluate(node: ExpressionNode, evaluation: Evaluation): unknown {
  switch (node.kind) {
    case 'literal':
      return node.value;
    case 'context':
      return lookUpContext(node.name, node.at, evaluation);
    case 'access':
      return access(node, evaluation);
    case 'call':
      return call(node, evaluation);
    case 'not':
      return !isTruthy(evaluate(node.operand, evaluation));
    case 'comparison':
      return compare(node, evaluation);
    case 'and':
      return firstWhere(node.operands, evaluation, (value) => !isTruthy(value));
    case 'or':
      return firstWhere(node.operands, evaluation, isTruthy);
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

function lookUpContext(name: string, at: number, { source, scope }: Evaluation): unknown {
  const value = Object.hasOwn(scope.contexts, name) ? scope.contexts[name] : undefined;
  if (value !== undefined) return value;
  throw expressionError(source, at, `Invalid segment ${name} or incorrect function call`);
}

/** A missing last entry is the empty text; one on the way there is an error. */
function access(node: AccessNode, evaluation: Evaluation): unknown {
  let value = evaluate(node.target, evaluation);
  for (const [index, keyNode] of node.keys.entries()) {
    const key = evaluate(keyNode, evaluation);
    const isLast = index === node.keys.length - 1;
    const entry = entryOf(value, key);
    if (entry === undefined && !isLast) {
      const problem = `no entry ${JSON.stringify(toText(key))}`;
      throw expressionError(evaluation.source, keyNode.at, problem);
    }
    value = entry ?? (entry === null ? null : '');
  }
  return value;
}

function call(node: CallNode, evaluation: Evaluation): unknown {
  const { source, scope } = evaluation;
  const refuse = (problem: string, cause?: unknown) =>
    expressionError(source, node.at, problem, cause);
  const given = findGivenFunction(node.name, scope);
  if (given !== undefined) {
    if (node.args.length > 0) throw refuse(`${node.name}() takes no argument`);
    return given();
  }
  const builtIn = findBuiltInFunction(node.name);
  if (builtIn === undefined) throw refuse(`unknown function ${node.name}()`);
  const args = node.args.map((arg) => evaluate(arg, evaluation));
  return builtIn.apply(args, refuse);
}

function findGivenFunction(name: string, scope: Scope): (() => unknown) | undefined {
  const wanted = name.toLowerCase();
  const entries = Object.entries(scope.functions ?? {});
  return entries.find(([given]) => given.toLowerCase() === wanted)?.[1];
}

function compare(node: ComparisonNode, evaluation: Evaluation): boolean {
  const left = evaluate(node.left, evaluation);
  const right = evaluate(node.right, evaluation);
  switch (node.operator) {
    case '==':
      return isEqual(left, right);
    case '!=':
      return !isEqual(left, right);
    case '<':
      return order(left, right) < 0;
    case '<=':
      return order(left, right) <= 0;
    case '>':
      return order(left, right) > 0;
    case '>=':
      return order(left, right) >= 0;
    case '~=':
      return matchPattern(left, right, node.at, evaluation);
  }
}

function matchPattern(
  subject: unknown,
  pattern: unknown,
  at: number,
  { source, patternBudget }: Evaluation,
): boolean {
  if (typeof subject !== 'string' || typeof pattern !== 'string') {
    throw expressionError(source, at, '"~=" matches a text with a pattern, both must be texts');
  }
  if (subject.length > SUBJECT_LENGTH_MAX) {
    const problem = `"~=" takes a text of at most ${SUBJECT_LENGTH_MAX} characters`;
    throw expressionError(source, at, problem);
  }
  const found = searchPattern(compilePatternCached(pattern), subject, patternBudget);
  if (found === null) throw expressionError(source, at, 'the patterns take too long');
  return found;
}
