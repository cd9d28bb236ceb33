/** Finds mistakes in the expressions of a described function, with their places. */
import {
  BUILT_IN_FUNCTION_NAMES,
  findBuiltInFunction,
  isStatusFunction,
  type PlacedExpression,
  placeCondition,
  placeExpressions,
  STATUS_FUNCTIONS,
  TEXT_FUNCTIONS,
  type UsedName,
  usesOf,
} from '@tutti/expressions';
import { isOrchestratorError, type ProviderFunctionManifest } from '@tutti/manifests';
import { nearestName, type Problem } from '@tutti/manifests/documents';
import { type DescribedText, textsOf } from './described-texts.ts';
import {
  CONTEXTS_OF_CALLS,
  CONTEXTS_OF_RUNS,
  isForRun,
  isOfCall,
  readsOfCall,
} from './expression-kinds.ts';
import { badPlaces } from './script-places.ts';

/** Problems of the expressions in a described function. Their paths begin at the function. */
export function expressionProblems(described: ProviderFunctionManifest): readonly Problem[] {
  const inputs = Object.keys(described.inputs ?? {});
  return textsOf(described).flatMap((text) => [
    ...problemsOfText(text, inputs),
    ...problemsOfPlaces(text),
  ]);
}

function problemsOfText(text: DescribedText, inputs: readonly string[]): readonly Problem[] {
  const { path } = text;
  const { expressions, mistakes } = text.isCondition
    ? placeCondition(text.text)
    : placeExpressions(text.text);
  const [first] = expressions;
  if (text.use === 'none' && first !== undefined) return [noneHere(text)];
  return [
    ...mistakes.map(({ message, ...piece }) => ({ path, message, piece })),
    ...expressions.flatMap((placed) => problemsOfExpression(placed, text, inputs)),
  ];
}

function noneHere({ path }: DescribedText): Problem {
  const isScript = path.at(-1) === 'run';
  const message = 'expressions cannot be used here';
  return isScript
    ? {
        path,
        message: 'expressions cannot be used in scripts of this shell',
        hint: 'give the step variables with these values, and read them in the script',
      }
    : { path, message };
}

type Finding = Omit<Problem, 'path'>;

function problemsOfExpression(
  { expression, at }: PlacedExpression,
  text: DescribedText,
  inputs: readonly string[],
): readonly Problem[] {
  const { contexts, functions } = usesOf(expression);
  const piece = ({ at: start, name }: UsedName) => ({ at: at + start, length: name.length });
  const forRun = isForRun(expression);
  const found: readonly (Finding | null)[] = [
    ...contexts.map(({ names: [context, member] }) => {
      const problem = problemOfContext(context, text);
      if (problem !== null) return { ...problem, piece: piece(context) };
      const unknown = member === undefined ? null : problemOfMember(context, member, text, inputs);
      return unknown === null || member === undefined ? null : { ...unknown, piece: piece(member) };
    }),
    ...functions.map((name) => {
      const problem = problemOfFunction(name.name, text, forRun);
      return problem === null ? null : { ...problem, piece: piece(name) };
    }),
    ...(forRun ? readsOfCall(expression) : [])
      .filter(({ source }) => source === null)
      .map(() => ({
        message: 'what an expression of the run reads of the call must be written as "inputs.name"',
        hint: 'name the rest of it in "values"',
        piece: { at, length: expression.source.length },
      })),
  ];
  return found.flatMap((each) => (each === null ? [] : [{ path: text.path, ...each }]));
}

function problemOfContext({ name }: UsedName, { use }: DescribedText): Finding | null {
  const ofCall = isOfCall(name);
  const known: readonly string[] = [...CONTEXTS_OF_CALLS, ...CONTEXTS_OF_RUNS];
  if (!known.includes(name)) {
    return { message: `unknown context "${name}"`, ...meant(name, known) };
  }
  if (use === 'both' || (use === 'call' ? ofCall : !ofCall)) return null;
  const message = `the context "${name}" cannot be used here`;
  return ofCall
    ? { message, hint: `there are ${CONTEXTS_OF_RUNS.join(', ')}` }
    : { message, hint: 'only the run knows it: give the step a variable with this value' };
}

/** Names that begin with a brace stand for any. */
function problemOfMember(
  { name: context }: UsedName,
  { name }: UsedName,
  { values }: DescribedText,
  inputs: readonly string[],
): Finding | null {
  const known = { inputs, values, runner: ['os', 'workspace'], tests: ['selected'] }[context];
  if (known === undefined || known.includes(name)) return null;
  if (known.some((each) => each.startsWith('{'))) return null;
  const noun = { inputs: 'input', values: 'value before this' }[context] ?? 'member';
  return { message: `there is no ${noun} "${name}"`, ...meant(name, known) };
}

const ofTexts: readonly string[] = TEXT_FUNCTIONS.map(({ name }) => name);

function problemOfFunction(name: string, { use }: DescribedText, forRun: boolean): Finding | null {
  if (isStatusFunction(name)) {
    return use === 'both' ? null : { message: `${name}() says nothing here` };
  }
  if (findBuiltInFunction(name) !== undefined) return null;
  const isOfTexts = ofTexts.some((each) => each.toLowerCase() === name.toLowerCase());
  if (isOfTexts && !forRun) return null;
  if (isOfTexts) {
    const message = `${name}() cannot be used together with what only the run knows`;
    return { message, hint: 'name its result in "values"' };
  }
  const known = [...BUILT_IN_FUNCTION_NAMES, ...ofTexts, ...STATUS_FUNCTIONS];
  return { message: `unknown function "${name}"`, ...meant(name, known) };
}

function meant(name: string, known: readonly string[]): Pick<Finding, 'hint'> {
  const nearest = nearestName(name, known);
  return nearest === null ? {} : { hint: `did you mean "${nearest}"?` };
}

function problemsOfPlaces({ path, text, languages }: DescribedText): readonly Problem[] {
  const found = languages.flatMap((language) => {
    try {
      return badPlaces(text, language);
    } catch (error) {
      // An expression without an end is reported with the other mistakes.
      if (isOrchestratorError(error)) return [];
      throw error;
    }
  });
  const byPlace = new Map(found.map((place) => [place.at, place]));
  return [...byPlace.values()].map(({ at, length, message, hint }) => ({
    path,
    message,
    hint,
    piece: { at, length },
  }));
}
