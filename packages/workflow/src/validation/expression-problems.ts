/**
 * Finds mistakes in the expressions of a manifest before anything runs. So no run fails in its third hour for a missing parenthesis, or for
 * an output of an unneeded job.
 */

import {
  BUILT_IN_FUNCTION_NAMES,
  type ExpressionUses,
  findBuiltInFunction,
  isStatusFunction,
  OPENING,
  placeCondition,
  placeExpressions,
  STATUS_FUNCTIONS,
  type UsedName,
  type UsedPath,
  usesOf,
} from '@tutti/expressions';
import type { Hook, WorkflowManifest } from '@tutti/manifests';
import { dictionary } from '@tutti/manifests';
import { nearestName, type Problem } from '@tutti/manifests/documents';
import {
  ALL_CONTEXTS,
  type CheckedWorkflow,
  type KnownMembers,
  knownContext,
  type OutputsOfFile,
  rulesOf,
} from './available-contexts.ts';
import { hookTexts, type ManifestText, manifestTexts } from './manifest-texts.ts';
import { plainHookProblems, plainTextProblems } from './plain-texts.ts';
import type { WorkflowUse } from './workflow-use.ts';

/**
 * The manifest must fit its schema; parts that do not must have been left out. `outputsOf`: what called workflows give, where they
 * have been read.
 */
export function expressionProblems(
  manifest: WorkflowManifest,
  use: WorkflowUse = 'started',
  outputsOf?: OutputsOfFile,
): readonly Problem[] {
  // Many workflows have none, and looking for one is faster than listing all texts with their places.
  if (!mayHaveExpressions(manifest)) return [];
  const known = { manifest, use, outputsOf };
  return [
    ...plainTextProblems(manifest),
    ...withHints(manifestTexts(manifest).flatMap((text) => findingsIn(text, known))),
  ];
}

/** A condition is an expression without `${{ }}`, too. */
function mayHaveExpressions(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(OPENING);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([key, child]) => key === 'if' || key.includes(OPENING) || mayHaveExpressions(child),
  );
}

/** Checks hooks around any workflow, of which nothing is known. */
export function hookExpressionProblems(hooks: readonly Hook[]): readonly Problem[] {
  return [
    ...plainHookProblems(hooks),
    ...withHints(hookTexts(hooks).flatMap((text) => findingsIn(text, null))),
  ];
}

/** A problem, and the names of which one was probably meant. */
interface Finding extends Problem {
  readonly name?: string;
  readonly names?: () => Iterable<string>;
}

/** Problems with hints: readers see no more, and comparing every name for each of thousands takes long. */
const HINTS_MAX = 50;

function withHints(findings: readonly Finding[]): readonly Problem[] {
  return findings.map(({ name = '', names, ...problem }, index) => {
    const nearest = names === undefined || index >= HINTS_MAX ? null : nearestName(name, names());
    return nearest === null ? problem : { ...problem, hint: `did you mean "${nearest}"?` };
  });
}

function findingsIn(text: ManifestText, known: CheckedWorkflow | null): readonly Finding[] {
  const { path } = text;
  const { expressions, broken, mistakes } = text.isCondition
    ? placeCondition(text.text)
    : placeExpressions(text.text);
  return [
    ...mistakes.map(({ message, ...piece }) => ({ path, message, piece, topic: 'expressions' })),
    ...expressions.flatMap(({ expression, at }) => misusesIn(usesOf(expression), at, text, known)),
    ...broken.flatMap(({ uses, at }) => misusesIn(uses, at, text, known)),
  ];
}

function misusesIn(
  { contexts, functions }: ExpressionUses,
  at: number,
  text: ManifestText,
  workflow: CheckedWorkflow | null,
): readonly Finding[] {
  const rules = rulesOf(text.place);
  if (rules === null) return [];
  const found = [
    ...contexts.flatMap((path) => misuseOfContext(path, rules.contexts, text, workflow) ?? []),
    ...functions.flatMap((name) => misuseOfFunction(name, rules.hasStatusFunctions) ?? []),
  ];
  return found.map(({ used, ...finding }) => ({
    ...finding,
    path: text.path,
    piece: { at: at + used.at, length: used.name.length },
  }));
}

type Misuse = Omit<Finding, 'path' | 'piece'> & { readonly used: UsedName };

function misuseOfContext(
  { names: [context, ...members], isWhole }: UsedPath,
  available: readonly string[],
  { place }: ManifestText,
  workflow: CheckedWorkflow | null,
): Misuse | null {
  const { name } = context;
  if (!available.includes(name)) return unavailable(context, available);
  let known = workflow === null ? null : knownContext(name, place, workflow);
  for (const [index, used] of members.entries()) {
    if (known === null) return null;
    const next = known.get(used.name);
    if (next === undefined) {
      return unknownMember(used, known, isWhole && index === members.length - 1);
    }
    known = next;
  }
  return null;
}

/** Names of contexts in other workflow languages. */
const CONTEXT_SYNONYMS: Readonly<Record<string, string | undefined>> = dictionary<
  string | undefined
>({
  env: 'variables',
  github: 'opentf',
  vars: 'variables',
});

/** In conditions of other tools a status function has no parentheses. */
const isFunction = (name: string): boolean =>
  isStatusFunction(name) || findBuiltInFunction(name) !== undefined;

function unavailable(used: UsedName, available: readonly string[]): Misuse {
  const { name } = used;
  if (isFunction(name)) {
    const message = `unknown context "${name}"`;
    return { used, message, topic: 'expressions', hint: `did you mean "${name}()"?` };
  }
  if (!ALL_CONTEXTS.includes(name)) {
    const message = `unknown context "${name}"`;
    const meant = CONTEXT_SYNONYMS[name.toLowerCase()] ?? '';
    return available.includes(meant)
      ? { used, message, topic: 'contexts', hint: `did you mean "${meant}"?` }
      : { used, message, topic: 'contexts', name, names: () => available };
  }
  const hint = `there are ${[...available].sort().join(', ')}`;
  return { used, message: `the context "${name}" cannot be used here`, hint, topic: 'contexts' };
}

/** At the end of a path most of these are empty texts. An entry of one would be an error when it is evaluated. */
function unknownMember(
  used: UsedName,
  { names, missing, refusesUnknown }: KnownMembers,
  isLast: boolean,
): Misuse {
  const message = missing(used.name);
  const misuse = { used, topic: 'contexts', name: used.name, names };
  return isLast && !refusesUnknown
    ? { ...misuse, message: `${message}, so this is empty`, isWarning: true }
    : { ...misuse, message };
}

function misuseOfFunction(used: UsedName, hasStatusFunctions: boolean): Misuse | null {
  const { name } = used;
  if (isStatusFunction(name)) {
    const message = `${name}() says nothing here`;
    const hint = 'it can be used in conditions, and in most of what jobs and steps say';
    return hasStatusFunctions ? null : { used, message, hint, topic: 'status-functions' };
  }
  if (findBuiltInFunction(name) !== undefined) return null;
  if (name.toLowerCase() === 'not') {
    const message = `unknown function "${name}"`;
    return { used, message, topic: 'expressions', hint: 'negation is "!"' };
  }
  const names = () => [...BUILT_IN_FUNCTION_NAMES, ...STATUS_FUNCTIONS];
  return { used, message: `unknown function "${name}"`, topic: 'expressions', name, names };
}
