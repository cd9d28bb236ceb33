/** Scopes of data sources: expressions over `test` that choose test cases (specification 4.5, wire facts 9.3). */
import { evaluateCondition, findBuiltInFunction, referencesOf } from '@tutti/expressions';
import { isOrchestratorError, OrchestratorError } from '@tutti/manifests';
import type { TestCaseManifest } from '@tutti/workflow';

export type Scope = (testCase: TestCaseManifest) => boolean;

/**
 * Null takes every test case, as does a blank scope. Throws `Invalid` with a message that begins `[SCOPE ERROR]`, also here
 * and now for what only has to do with the text: a wrong scope is wrong in a run without test cases, too.
 */
export function parseScope(text: string | null): Scope | null {
  if (text === null || text.trim() === '') return null;
  checkReferences(text);
  return ({ test }) =>
    attempt(`Nonexisting context entry in expression ${text}`, () =>
      evaluateCondition(text, { contexts: { test } }),
    );
}

function checkReferences(text: string): void {
  const references = attempt(`Invalid conditional ${text}`, () => referencesOf(text));
  const context = references.contexts.find((name) => name !== 'test');
  if (context !== undefined) {
    throw scopeError(`Nonexisting context entry in expression ${text}: ${context}.`);
  }
  const called = references.functions.find((name) => findBuiltInFunction(name) === undefined);
  if (called !== undefined) {
    throw scopeError(`Invalid conditional ${text}: unknown function ${called}().`);
  }
}

function attempt<Value>(problem: string, action: () => Value): Value {
  try {
    return action();
  } catch (cause) {
    if (!isOrchestratorError(cause)) throw cause;
    throw scopeError(`${problem}: ${cause.message}`, cause);
  }
}

function scopeError(problem: string, cause?: unknown): OrchestratorError {
  const message = `[SCOPE ERROR] ${problem}`;
  return new OrchestratorError('Invalid', message, { details: { scope_error: message }, cause });
}
