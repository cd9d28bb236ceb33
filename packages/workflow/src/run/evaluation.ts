/** Evaluates texts of a manifest, for one job or step. Every failure is an outcome, never an exception. */
import {
  createBudget,
  type EvaluationBudget,
  evaluateCondition,
  interpolateText,
  type Scope,
  usesStatusFunction,
} from '@tutti/expressions';
import {
  isOrchestratorError,
  OrchestratorError,
  shownValue,
  type Variables,
} from '@tutti/manifests';

/**
 * Most steps of all that one decision evaluates: some 20 ms, in which the server does nothing else. A thousand jobs may begin, or a
 * thousand steps be skipped, at one time. Each of their scopes has its own, lower bound.
 */
export const DECISION_STEPS_MAX = 20_000_000;

/** Budget of one decision, or of one other evaluation. */
export const createDecisionBudget = (): EvaluationBudget => createBudget(DECISION_STEPS_MAX);

export type Evaluated<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: string };

export function attempt<T>(where: string, evaluate: () => T): Evaluated<T> {
  try {
    return { ok: true, value: evaluate() };
  } catch (error) {
    if (!isOrchestratorError(error)) throw error;
    return { ok: false, error: `${where}: ${error.message}` };
  }
}

/** A condition that is not there means `success()`. */
export function condition(text: string | undefined, scope: Scope): boolean {
  return evaluateCondition(text ?? null, scope);
}

/** A condition without an implied status function; an absent one is met. */
export function bareCondition(text: string | null | undefined, scope: Scope): boolean {
  if (text === undefined || text === null) return true;
  const { functions: _, ...bare } = scope;
  return evaluateCondition(text, usesStatusFunction(text) ? scope : bare);
}

export function minutesToMs(value: number | string, scope: Scope): number {
  const isFit = (minutes: number) => minutes > 0 && Number.isFinite(minutes);
  return numberOf(value, scope, isFit, 'a number of minutes above 0') * 60_000;
}

/** Reads a number; throws for a value that is no whole number above 0. */
export function countOf(value: number | string, scope: Scope): number {
  const isFit = (count: number) => Number.isSafeInteger(count) && count > 0;
  return numberOf(value, scope, isFit, 'a whole number above 0');
}

function numberOf(
  value: number | string,
  scope: Scope,
  isFit: (number: number) => boolean,
  wanted: string,
): number {
  const text = typeof value === 'number' ? String(value) : interpolateText(value.trim(), scope);
  const number = Number(text);
  if (isFit(number)) return number;
  throw unexpected(wanted, value, text);
}

/** Names the value and its expression. An author looks for the value in the log, and for the expression in the workflow. */
function unexpected(wanted: string, value: number | string, text: string): OrchestratorError {
  const message = `Expected ${wanted} from "${value}", got ${shownValue(text)}.`;
  return new OrchestratorError('Invalid', message);
}

const FLAGS: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['false', false],
  // An output that was never set.
  ['', false],
]);

/** Reads a boolean; throws for other values. A word must not mean the opposite of what its author meant. */
export function flag(value: boolean | string | undefined, scope: Scope): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? false;
  const text = interpolateText(value.trim(), scope);
  const result = FLAGS.get(text.toLowerCase());
  if (result !== undefined) return result;
  throw unexpected('true or false', value, text);
}

export function interpolateVariables(
  variables: Variables | undefined,
  scope: Scope,
): Variables | undefined {
  if (variables === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(variables).map(([name, each]) => [name, interpolateVariable(each, scope)]),
  );
}

export function interpolateVariable(variable: Variables[string], scope: Scope): Variables[string] {
  return typeof variable === 'string'
    ? interpolateText(variable, scope)
    : { ...variable, value: interpolateText(variable.value, scope) };
}

/** The texts of outputs, which may be written as numbers or booleans. Providers and generators also describe them as `{description, value}`. */
export function outputTexts(
  templates: Readonly<Record<string, unknown>>,
  scope: Scope,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(templates).map(([name, template]) => {
      return [name, interpolateText(textOfOutput(template), scope)];
    }),
  );
}

function textOfOutput(output: unknown): string {
  if (typeof output !== 'object') return String(output);
  return output !== null && 'value' in output ? String(output.value) : '';
}

/** Evaluates at the first call only, so that an unused value cannot fail. */
export function lazily<T>(evaluate: () => T): () => T {
  let done: { readonly value: T } | null = null;
  return () => {
    done ??= { value: evaluate() };
    return done.value;
  };
}
