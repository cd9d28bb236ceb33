/** Scopes: expressions over `test` that choose test cases (specification 4.5 and 4.10, wire facts 9.3). */
import {
  createBudget,
  evaluateCondition,
  findBuiltInFunction,
  MissingEntryError,
  parseCondition,
  referencesOf,
} from '@tutti/expressions';
import { isOrchestratorError, OrchestratorError } from '@tutti/manifests';
import { didYouMean } from '@tutti/manifests/documents';
import { MANAGED_TEST_MEMBERS } from './managed-test.ts';
import type { TestCaseManifest } from './test-cases.ts';

export type TestScope = (testCase: Pick<TestCaseManifest, 'test'>) => boolean;

/** Steps for all test cases of a run together: some seconds, or a pattern in each of half a million names. */
const STEPS_MAX = 5_000_000_000;

/** What every test case has that has no entries itself. */
const PLAIN_MEMBERS: readonly string[] = [
  'technology',
  'outcome',
  'job',
  'uses',
  'test',
  'suiteName',
  'testCaseName',
  'managed',
];
/** Everything that some test case may have. */
const MEMBERS = new Set([...PLAIN_MEMBERS, 'runs-on', ...MANAGED_TEST_MEMBERS]);

/** As it is written: true takes every test case, false none. */
export type WrittenScope = string | boolean | null;

/**
 * Null takes every test case, as does a blank scope. Throws `Invalid` with a message that begins `[SCOPE ERROR]`, also here
 * and now for what only has to do with the text: a wrong scope is wrong in a run without test cases, too. What managed
 * test cases have below their labels differs, so it is left to them. The scope itself throws the same for a test case that has not what the scope looks up, and when it takes too long for all that it was given.
 */
export function parseTestScope(written: WrittenScope): TestScope | null {
  const text = written === null ? '' : String(written);
  if (text.trim() === '') return null;
  checkReferences(text);
  const condition = parseCondition(text);
  const budget = createBudget(STEPS_MAX);
  return ({ test }) =>
    attempt(text, () => evaluateCondition(condition, { contexts: { test }, budget }));
}

function checkReferences(text: string): void {
  const references = attempt(text, () => referencesOf(text));
  const context = references.contexts.find((name) => name !== 'test');
  if (context !== undefined) {
    throw scopeError(`Nonexisting context entry in expression ${text}: ${context}.`);
  }
  for (const [root, ...path] of references.paths) if (root === 'test') checkPath(text, path);
  const called = references.functions.find((name) => findBuiltInFunction(name) === undefined);
  if (called !== undefined) {
    throw scopeError(`Invalid conditional ${text}: unknown function ${called}().`);
  }
}

/** `path` is what is written after `test`. */
function checkPath(text: string, [member, ...below]: readonly string[]): void {
  if (member === undefined) return;
  const isThere = MEMBERS.has(member) && (below.length === 0 || !PLAIN_MEMBERS.includes(member));
  if (isThere) return;
  const path = ['test', member, ...below].join('.');
  const hint = MEMBERS.has(member) ? '' : didYouMean(member, MEMBERS);
  throw scopeError(`Nonexisting context entry in expression ${text}: ${path}${hint || '.'}`);
}

function attempt<Value>(text: string, action: () => Value): Value {
  try {
    return action();
  } catch (cause) {
    if (!isOrchestratorError(cause)) throw cause;
    const isMissing = cause instanceof MissingEntryError;
    const problem = isMissing ? 'Nonexisting context entry in expression' : 'Invalid conditional';
    throw scopeError(`${problem} ${text}: ${cause.message}`, cause);
  }
}

function scopeError(problem: string, cause?: unknown): OrchestratorError {
  const message = `[SCOPE ERROR] ${problem}`;
  return new OrchestratorError('Invalid', message, { details: { scope_error: message }, cause });
}
