/** Evaluates a call of a described function. Expressions for the run stay, with the values of the call that they read. */
import {
  createBudget,
  type Expression,
  evaluateCondition,
  evaluateExpression,
  interpolate,
  isList,
  isMap,
  OPENING,
  parseCondition,
  parseExpression,
  type Scope,
  splitText,
  TEXT_FUNCTIONS,
} from '@tutti/expressions';
import { dictionary, type InputValues, OrchestratorError } from '@tutti/manifests';
import type { Runner } from '../provider.ts';
import { WORKSPACE } from '../quoting.ts';
import { isForRun, withLiterals } from './expression-kinds.ts';

/** The scope of a call, with the named values of the function. Throws `Invalid`. */
export function scopeOfCall(
  declared: Readonly<Record<string, unknown>>,
  inputs: InputValues,
  { os, repositories = [], selection = [] }: Runner,
): Scope {
  const values = dictionary<unknown>();
  const named = repositories.map((repository) => [repository.name, repository] as const);
  const contexts = {
    inputs,
    values,
    runner: { os, workspace: WORKSPACE },
    // Null is false in expressions, and a list never is.
    tests: { selected: selection.length === 0 ? null : selection },
    resources: { repositories: Object.fromEntries(named) },
  };
  const scope = { contexts, library: TEXT_FUNCTIONS, budget: createBudget() };
  for (const [name, value] of Object.entries(declared)) values[name] = interpolate(value, scope);
  return scope;
}

/** Escapes a value that becomes part of a step. The run evaluates texts in it again, and must get the same texts. */
export function renderValue(value: unknown, scope: Scope): unknown {
  if (typeof value === 'string') return renderText(value, scope);
  if (isList(value)) return value.map((item) => renderValue(item, scope));
  if (!isMap(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([name, item]) => [name, renderValue(item, scope)]));
}

function renderText(text: string, scope: Scope): unknown {
  const parts = splitText(text);
  const [first] = parts;
  if (parts.length === 1 && first?.kind === 'expression') {
    return renderExpression(parseExpression(first.text), scope);
  }
  const rendered = parts.map((part) =>
    part.kind === 'text'
      ? part.text
      : textOf(renderExpression(parseExpression(part.text), scope), part.text),
  );
  return rendered.join('');
}

function renderExpression(expression: Expression, scope: Scope): unknown {
  if (isForRun(expression)) return `${OPENING} ${withLiterals(expression, scope)} }}`;
  return kept(interpolate(`${OPENING} ${expression.source} }}`, scope));
}

/** With each opening of an expression as an expression that gives it. */
function kept(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(OPENING, `${OPENING} '${OPENING}' }}`);
  if (isList(value)) return value.map(kept);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, kept(item)]));
}

/** Whether the step exists, and the condition that the run evaluates. It is null when there is none. */
export function renderCondition(
  text: string | undefined,
  scope: Scope,
): { readonly isThere: boolean; readonly rest: string | null } {
  const condition = text === undefined ? null : parseCondition(text);
  if (condition === null) return { isThere: true, rest: null };
  if (isForRun(condition)) return { isThere: true, rest: conditionOf(condition, scope) };
  return { isThere: evaluateCondition(condition, scope), rest: null };
}

/** Where a value has the opening of an expression in it, the delimiters say that it is none. */
function conditionOf(condition: Expression, scope: Scope): string {
  const source = withLiterals(condition, scope);
  return source.includes(OPENING) ? `${OPENING} ${source} }}` : source;
}

/** A value as a text of a script; lists and maps are none. Null is empty. */
export function textOf(value: unknown, expression: string): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') {
    const message = `"${expression.trim()}" is ${isList(value) ? 'a list' : 'a map'}, not a text.`;
    throw new OrchestratorError('Invalid', message);
  }
  return String(value);
}

/**
 * The words of a command line for one written word. A word that is one expression may be a list of words. Null, false and the empty text
 * are no word.
 */
export function renderWords(written: string | number, scope: Scope): readonly string[] {
  const text = String(written);
  const parts = splitText(text);
  const [first] = parts;
  if (parts.length !== 1 || first?.kind !== 'expression') return [renderPlain(text, scope)];
  const value = evaluateExpression(first.text, scope);
  const items = isList(value) ? value : [value].filter((each) => !isNothing(each));
  return items.map((item) => textOf(item, first.text));
}

const isNothing = (value: unknown): boolean => value === null || value === false || value === '';

/** A text with the texts of its expressions, which go nowhere but into this call. */
export function renderPlain(text: string, scope: Scope): string {
  const rendered = splitText(text).map((part) =>
    part.kind === 'text' ? part.text : textOf(evaluateExpression(part.text, scope), part.text),
  );
  return rendered.join('');
}
