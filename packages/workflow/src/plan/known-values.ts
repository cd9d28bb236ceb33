/** Which expressions of a workflow have the same value in every run that is started in the same way. */
import {
  type ExpressionNode,
  isStatusFunction,
  placeCondition,
  placeExpressions,
  usesOf,
} from '@tutti/expressions';
import { variableLevels } from '../run/inherited.ts';
import type { Job, Run } from '../run/run.ts';

export interface KnownValues {
  /** Required inputs without a value. */
  readonly openInputs: ReadonlySet<string>;
}

/** Contexts that only a run has, and secrets, which nobody is shown. */
const OF_THE_RUN: ReadonlySet<string> = new Set([
  'needs',
  'steps',
  'job',
  'jobs',
  'runner',
  'secrets',
]);
const OF_THE_JOB_THAT_RUNS: ReadonlySet<string> = new Set(['job', 'step', 'actor']);

/** True when no expression in the value depends on what happens in the run. `job`: null for a value of the whole workflow. */
export function isKnown(value: unknown, run: Run, job: Job | null, known: KnownValues): boolean {
  const question = questionOf(run, job, known);
  return textsIn(value).every((text) => isKnownText(text, question));
}

/** True when the values of a condition are known; the caller decides about its status functions. */
export function isKnownCondition(text: string, run: Run, job: Job, known: KnownValues): boolean {
  const { expressions } = placeCondition(text);
  return arePathsKnown(expressions, questionOf(run, job, known));
}

/** True when the values of a part of a condition are known. */
export function isKnownNode(node: ExpressionNode, run: Run, job: Job, known: KnownValues): boolean {
  const question = questionOf(run, job, known);
  return usesOf({ source: '', root: node }).contexts.every(({ names: [context, member] }) =>
    isPathKnown(context.name, member?.name ?? null, question),
  );
}

/** Whether the expressions of a text speak of the values of a matrix. */
export const speaksOfMatrix = (text: string): boolean =>
  placeExpressions(text)
    .expressions.flatMap(({ expression }) => usesOf(expression).contexts)
    .some(({ names: [context] }) => context.name === 'matrix');

export function callsStatusFunction(text: string): boolean {
  return placeCondition(text)
    .expressions.flatMap(({ expression }) => usesOf(expression).functions)
    .some(({ name }) => isStatusFunction(name));
}

interface Question {
  readonly run: Run;
  readonly job: Job | null;
  readonly known: KnownValues;
  /**
   * Result for each variable already checked, since many may refer to many. While a variable is checked it counts as unknown: none can
   * depend on itself.
   */
  readonly variables: Map<string, boolean>;
}

const questionOf = (run: Run, job: Job | null, known: KnownValues): Question => ({
  run,
  job,
  known,
  variables: new Map(),
});

function isKnownText(text: string, question: Question): boolean {
  return arePathsKnown(placeExpressions(text).expressions, question);
}

function arePathsKnown(
  expressions: ReturnType<typeof placeExpressions>['expressions'],
  question: Question,
): boolean {
  return expressions
    .flatMap(({ expression }) => usesOf(expression).contexts)
    .every(({ names: [context, member] }) =>
      isPathKnown(context.name, member?.name ?? null, question),
    );
}

function isPathKnown(context: string, member: string | null, question: Question): boolean {
  if (OF_THE_RUN.has(context)) return false;
  if (context === 'opentf') return member !== null && !OF_THE_JOB_THAT_RUNS.has(member);
  const { openInputs } = question.known;
  if (context === 'inputs')
    return member === null ? openInputs.size === 0 : !openInputs.has(member);
  return context !== 'variables' || isVariableKnown(member, question);
}

/** As its most specific definition is; without a name, as all are. */
function isVariableKnown(name: string | null, question: Question): boolean {
  const { run, job, variables } = question;
  const levels = job === null ? [run.manifest.variables] : variableLevels(run, job);
  if (name === null) {
    const names = new Set(levels.flatMap((level) => Object.keys(level ?? {})));
    return [...names].every((each) => isVariableKnown(each, question));
  }
  const found = variables.get(name);
  if (found !== undefined) return found;
  variables.set(name, false);
  const defined = levels.findLast((level) => level !== undefined && Object.hasOwn(level, name));
  const variable = defined?.[name];
  const text = typeof variable === 'object' ? variable.value : (variable ?? '');
  const isFixed = isKnownText(text, question);
  variables.set(name, isFixed);
  return isFixed;
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
