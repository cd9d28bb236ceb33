/** Conditions: `if` of jobs and steps, scopes of data sources (wire facts 1.7, 6.6). `${{ }}` may be left out. */
import { evaluateExpression, payForSource, type Scope } from './evaluate-expression.ts';
import { expressionError } from './expression-error.ts';
import { isStatusFunction } from './functions.ts';
import { EXPRESSION_LENGTH_MAX } from './limits.ts';
import { parseExpression } from './parse-expression.ts';
import { CLOSING, OPENING, soleExpression, splitText, type TextPart } from './split-text.ts';
import { childrenOf, type Expression, type ExpressionNode } from './syntax.ts';
import { toNumber } from './values.ts';

/**
 * True when the condition holds: the number of its value is not 0. Texts that are no number are true. If the scope has a function `success`
 * and the condition no status function, then `success()` must hold as well. A blank condition asks for nothing else. Takes what
 * `parseCondition` gives, too, for conditions that are evaluated often. Throws `Invalid`.
 */
export function evaluateCondition(text: string | Expression | null, scope: Scope): boolean {
  if (typeof text === 'string' && scope.budget !== undefined) payForSource(text, scope.budget);
  const condition = typeof text === 'string' ? parseCondition(text) : text;
  if (!isSuccessMet(condition, scope)) return false;
  return condition === null || isMet(evaluateExpression(condition, scope));
}

function isSuccessMet(condition: Expression | null, { functions = {} }: Scope): boolean {
  if (!Object.hasOwn(functions, 'success')) return true;
  if (condition !== null && usesStatusFunction(condition)) return true;
  return isMet(functions.success?.());
}

/** Not the truthiness of `&&`: a value that is no number counts as true here, even an empty list. */
function isMet(value: unknown): boolean {
  return toNumber(value) !== 0;
}

/** Parses a condition, whose `${{ }}` may be left out; null when it is blank. Throws `Invalid`. */
export function parseCondition(text: string): Expression | null {
  const source = conditionSource(text);
  return source === '' ? null : parseExpression(source);
}

/** True when a status function is called anywhere in the condition; throws `Invalid` for what cannot be parsed. */
export function usesStatusFunction(condition: string | Expression): boolean {
  const expression = typeof condition === 'string' ? parseCondition(condition) : condition;
  return expression !== null && callsStatusFunction(expression.root);
}

function callsStatusFunction(node: ExpressionNode): boolean {
  const isStatusCall = node.kind === 'call' && isStatusFunction(node.name);
  return isStatusCall || childrenOf(node).some(callsStatusFunction);
}

/**
 * The expression of a condition. If only parts of it are in `${{ }}`, each part counts as if in parentheses. Elsewhere a part is replaced
 * by its text. Then the whole condition would be a text, hence always true, which no author means.
 */
function conditionSource(text: string): string {
  const trimmed = text.trim();
  // The parser refuses a text that is too long.
  if (!trimmed.includes(OPENING) || trimmed.length > EXPRESSION_LENGTH_MAX) return trimmed;
  const parts = splitText(trimmed);
  checkMixed(trimmed, parts);
  return soleExpression(parts)?.trim() ?? parts.map(asParenthesized).join('');
}

/** As long as the text that it replaces, so that positions stay right. */
function asParenthesized(part: TextPart): string {
  return part.kind === 'text' ? part.text : `(  ${part.text}) `;
}

/** Refuses `${{ }}` where parentheses would be part of a string, or make a call of the name before them. */
function checkMixed(text: string, parts: readonly TextPart[]): void {
  let before = '';
  for (const part of parts) {
    if (part.kind === 'text') {
      before += part.text;
      continue;
    }
    const problem = problemAfter(before);
    if (problem !== null) throw expressionError(text, before.length, problem);
    // As long as the part, and without quotes or names of its own.
    before += ')'.repeat(OPENING.length + part.text.length + CLOSING.length);
  }
}

function problemAfter(before: string): string | null {
  if (before.split("'").length % 2 === 0) {
    return `"${OPENING}" in a string (use the function format to build texts)`;
  }
  return /[\w-]\s*$/.test(before) ? `expected an operator before "${OPENING}"` : null;
}
