/** Evaluating what a manifest says, for one job or step. Every failure is an outcome, never an exception. */
import {
  evaluateCondition,
  interpolateText,
  type Scope,
  usesStatusFunction,
} from '@tutti/expressions';
import { isOrchestratorError, OrchestratorError, type Variables } from '@tutti/manifests';

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
  return evaluateCondition(text ?? 'success()', scope);
}

/** A condition that asks for what it says and nothing else; one that is not there is met. */
export function bareCondition(text: string | null | undefined, scope: Scope): boolean {
  if (text === undefined || text === null) return true;
  const { functions: _, ...bare } = scope;
  return evaluateCondition(text, usesStatusFunction(text) ? scope : bare);
}

export function minutesToMs(value: number | string, scope: Scope): number {
  const minutes = typeof value === 'number' ? value : Number(interpolateText(value, scope));
  if (minutes > 0 && Number.isFinite(minutes)) return minutes * 60_000;
  throw new OrchestratorError('Invalid', `Expected a number of minutes above 0, got "${value}".`);
}

/** Throws for what is no whole number above 0. */
export function countOf(value: number | string, scope: Scope): number {
  const count = typeof value === 'number' ? value : Number(interpolateText(value, scope));
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new OrchestratorError('Invalid', `Expected a whole number above 0, got "${value}".`);
}

/** Of a value in a message. */
const SHOWN_LENGTH_MAX = 100;

const FLAGS: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['false', false],
  // An output that was never set.
  ['', false],
]);

/** Throws for what is neither true nor false: a word that means one to its author must not mean the other here. */
export function flag(value: boolean | string | undefined, scope: Scope): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? false;
  const text = interpolateText(value, scope);
  const result = FLAGS.get(text.toLowerCase());
  if (result !== undefined) return result;
  const shown = text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}...` : text;
  throw new OrchestratorError('Invalid', `Expected true or false from "${value}", got "${shown}".`);
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

/** The texts of outputs. Providers and generators describe them as a text or as `{description, value}`. */
export function outputTexts(
  templates: Readonly<Record<string, unknown>>,
  scope: Scope,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(templates).map(([name, template]) => {
      const text = typeof template === 'string' ? template : valueOfOutput(template);
      return [name, interpolateText(text, scope)];
    }),
  );
}

function valueOfOutput(output: unknown): string {
  return typeof output === 'object' && output !== null && 'value' in output
    ? String(output.value)
    : '';
}

/** Evaluates at the first call only, so that what nobody asks for cannot fail. */
export function lazily<T>(evaluate: () => T): () => T {
  let done: { readonly value: T } | null = null;
  return () => {
    done ??= { value: evaluate() };
    return done.value;
  };
}
