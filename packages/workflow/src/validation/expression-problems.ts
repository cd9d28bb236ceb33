/**
 * What is wrong with the expressions of a manifest, found before anything runs: a run should not fail in its third hour for a
 * missing parenthesis, or for the output of a job that it does not need.
 */
import {
  BUILT_IN_FUNCTION_NAMES,
  findBuiltInFunction,
  type PlacedExpression,
  placeCondition,
  placeExpressions,
  STATUS_FUNCTIONS,
  type UsedName,
  usesOf,
} from '@tutti/expressions';
import type { Hook, WorkflowManifest } from '@tutti/manifests';
import { nearestName, type Problem } from '@tutti/manifests/documents';
import { ALL_CONTEXTS, type KnownMembers, knownContext, rulesOf } from './available-contexts.ts';
import { hookTexts, type ManifestText, manifestTexts } from './manifest-texts.ts';

/** The manifest must fit its schema; parts that do not must have been left out. */
export function expressionProblems(manifest: WorkflowManifest): readonly Problem[] {
  return manifestTexts(manifest).flatMap((text) => problemsOfText(text, manifest));
}

/** The same for hooks around any workflow, of which nothing is known. */
export function hookExpressionProblems(hooks: readonly Hook[]): readonly Problem[] {
  return hookTexts(hooks).flatMap((text) => problemsOfText(text, null));
}

function problemsOfText(text: ManifestText, manifest: WorkflowManifest | null): readonly Problem[] {
  const { path } = text;
  const { expressions, mistakes } = text.isCondition
    ? placeCondition(text.text)
    : placeExpressions(text.text);
  return [
    ...mistakes.map(({ message, ...piece }) => ({ path, message, piece, topic: 'expressions' })),
    ...expressions.flatMap((placed) => problemsOfUses(placed, text, manifest)),
  ];
}

function problemsOfUses(
  { expression, at }: PlacedExpression,
  text: ManifestText,
  manifest: WorkflowManifest | null,
): readonly Problem[] {
  const rules = rulesOf(text.place);
  if (rules === null) return [];
  const { contexts, functions } = usesOf(expression);
  const found = [
    ...contexts.flatMap((names) => problemOfContext(names, rules.contexts, text, manifest) ?? []),
    ...functions.flatMap((name) => problemOfFunction(name, rules.hasStatusFunctions) ?? []),
  ];
  return found.map(({ used, ...problem }) => ({
    ...problem,
    path: text.path,
    piece: { at: at + used.at, length: used.name.length },
  }));
}

type Misuse = Pick<Problem, 'message' | 'hint' | 'topic'> & { readonly used: UsedName };

function problemOfContext(
  [context, ...members]: readonly [UsedName, ...UsedName[]],
  available: readonly string[],
  { place }: ManifestText,
  manifest: WorkflowManifest | null,
): Misuse | null {
  const { name } = context;
  if (!available.includes(name)) return { used: context, ...unavailable(name, available) };
  let known = manifest === null ? null : knownContext(name, place, manifest);
  for (const used of members) {
    const next = known?.members?.get(used.name);
    if (known?.members != null && next === undefined) {
      return { used, topic: 'contexts', ...unknownMember(used.name, known) };
    }
    known = next ?? null;
  }
  return null;
}

function unavailable(
  name: string,
  available: readonly string[],
): Pick<Problem, 'message' | 'hint' | 'topic'> {
  if (!ALL_CONTEXTS.includes(name)) {
    const message = `unknown context "${name}"`;
    return { message, topic: 'contexts', ...hinted(name, available) };
  }
  return {
    message: `the context "${name}" cannot be used here`,
    hint: `there are ${[...available].sort().join(', ')}`,
    topic: 'contexts',
  };
}

function unknownMember(name: string, { members, missing }: KnownMembers) {
  return { message: missing(name), ...hinted(name, members?.keys() ?? []) };
}

function problemOfFunction(used: UsedName, hasStatusFunctions: boolean): Misuse | null {
  const { name } = used;
  const isStatus = STATUS_FUNCTIONS.some((each) => each === name.toLowerCase());
  if (isStatus) {
    const message = `${name}() says nothing here`;
    const hint = 'it can be used in conditions, and where jobs and steps are evaluated';
    return hasStatusFunctions ? null : { used, message, hint, topic: 'conditions' };
  }
  if (findBuiltInFunction(name) !== undefined) return null;
  const known = [...BUILT_IN_FUNCTION_NAMES, ...STATUS_FUNCTIONS];
  return {
    used,
    message: `unknown function "${name}"`,
    topic: 'expressions',
    ...hinted(name, known),
  };
}

function hinted(name: string, known: Iterable<string>): Pick<Problem, 'hint'> {
  const nearest = nearestName(name, known);
  return nearest === null ? {} : { hint: `did you mean "${nearest}"?` };
}
