/** Replaces the `${{ }}` of texts, and of all texts in lists and maps (wire facts 6.6). */
import { OrchestratorError } from '@tutti/manifests';
import { evaluateToInsert, evaluateToText, type Scope } from './evaluate-expression.ts';
import { createBudget } from './evaluation-budget.ts';
import { expressionError } from './expression-error.ts';
import { DEPTH_MAX, RESULT_LENGTH_MAX } from './limits.ts';
import { OPENING, soleExpression, splitText, type TextPart } from './split-text.ts';
import { isList, isMap } from './values.ts';

/**
 * The value with the expressions of all its texts replaced. A text that is only one expression becomes its value, such as a list, a map or a number. Names in maps stay as they are. Throws `Invalid`.
 */
export function interpolate(value: unknown, scope: Scope): unknown {
  return interpolateWithin(value, withBudget(scope), DEPTH_MAX);
}

/** The expressions of one value have one budget, even where the scope has none. */
function withBudget(scope: Scope): Scope {
  return scope.budget === undefined ? { ...scope, budget: createBudget() } : scope;
}

function interpolateWithin(value: unknown, scope: Scope, depthMax: number): unknown {
  if (typeof value === 'string') return interpolateString(value, scope);
  if (!isList(value) && !isMap(value)) return value;
  if (depthMax === 0) {
    throw new OrchestratorError('Invalid', `Lists or maps nested deeper than ${DEPTH_MAX}.`);
  }
  const replace = (item: unknown) => interpolateWithin(item, scope, depthMax - 1);
  if (isList(value)) return value.map(replace);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replace(item)]));
}

function interpolateString(text: string, scope: Scope): unknown {
  if (!text.includes(OPENING)) return text;
  const parts = splitText(text);
  const sole = soleExpression(parts);
  return sole === null ? joinParts(parts, scope) : evaluateToInsert(sole, scope);
}

/** The text with its expressions replaced by their texts; throws `Invalid`. */
export function interpolateText(text: string, scope: Scope): string {
  return text.includes(OPENING) ? joinParts(splitText(text), withBudget(scope)) : text;
}

/** Bounds only the text that expressions insert; the text between them has its size from the author. */
function joinParts(parts: readonly TextPart[], scope: Scope): string {
  let joined = '';
  let insertedLength = 0;
  for (const part of parts) {
    const text = part.kind === 'text' ? part.text : evaluateToText(part.text, scope);
    joined += text;
    insertedLength += part.kind === 'text' ? 0 : text.length;
    if (insertedLength > RESULT_LENGTH_MAX) {
      const problem = `the text becomes longer than ${RESULT_LENGTH_MAX} characters`;
      throw expressionError(part.text, 0, problem);
    }
  }
  return joined;
}
