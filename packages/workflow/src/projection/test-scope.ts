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

/** Steps for all test cases of a run together. They take some seconds, or check a pattern in each of half a million names. */
const STEPS_MAX = 5_000_000_000;

/** Fields of every test case that have no entries themselves. */
const PLAIN_MEMBERS: readonly string[] = [
  'technology',
  'outcome',
  'job',
  'uses',
  'test',
  'suiteName',
  'testCaseName',
  'managed',
  'newlyFailed',
  'retried',
  'flaked',
  'quarantined',
];
/** Fields of `history`. */
const HISTORY_MEMBERS: readonly string[] = ['state', 'flakeRate', 'failures', 'executions'];
/** Everything that some test case may have. */
const MEMBERS = new Set([...PLAIN_MEMBERS, 'runs-on', 'history', ...MANAGED_TEST_MEMBERS]);

/** A scope as its author wrote it: true takes every test case, false none. */
export type WrittenScope = string | boolean | null;

/**
 * Null takes every test case, as does a blank scope. Throws `Invalid` with a message that begins `[SCOPE ERROR]` for mistakes in the text.
 * So a wrong scope fails in a run without test cases, too. Fields below the labels of managed test cases differ, so these are not checked
 * here. The scope throws it when a test case lacks a field it reads. It also throws it when all test cases take too long.
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

/** `path` has the names after `test`. */
function checkPath(text: string, [member, ...below]: readonly string[]): void {
  if (member === undefined) return;
  const isThere = MEMBERS.has(member) && mayHave(member, below);
  if (isThere) return;
  const path = ['test', member, ...below].join('.');
  const hint = MEMBERS.has(member) ? hintBelow(member, below) : didYouMean(member, MEMBERS);
  throw scopeError(`Nonexisting context entry in expression ${text}: ${path}${hint || '.'}`);
}

function mayHave(member: string, [first, ...more]: readonly string[]): boolean {
  if (first === undefined) return true;
  if (member === 'history') return HISTORY_MEMBERS.includes(first) && more.length === 0;
  return !PLAIN_MEMBERS.includes(member);
}

const hintBelow = (member: string, [first = '']: readonly string[]): string =>
  member === 'history' && !HISTORY_MEMBERS.includes(first)
    ? didYouMean(first, HISTORY_MEMBERS)
    : '';

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
