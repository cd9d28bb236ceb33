/**
 * Jobs, steps and variables as the published schema of a version has them (wire facts 1.3 to 1.13). Entries that a version does not
 * know are left out. Values of types that the schemas do not have become texts.
 */
import { changedAt, changedEntries, changedItems, isEntries } from './changed-entries.ts';

/**
 * Converts a value to a version, which follows the group in `apiVersion`. Returns the value itself if it stays the same, and undefined
 * to drop it.
 */
export type Change = (value: unknown, version: string) => unknown;

export const same: Change = (value) => value;

/** Changes the entries with these names. Other entries stay, and so do values that are no maps. */
export function changedBy(changes: Readonly<Record<string, Change>>): Change {
  const byName = new Map(Object.entries(changes));
  return (value, version) =>
    isEntries(value) ? changedAt(value, byName, (change, each) => change(each, version)) : value;
}

const NEWEST = 'v1';

/** Applies the change in v1, and drops the value in earlier versions. */
export const fromV1 =
  (change: Change): Change =>
  (value, version) =>
    version === NEWEST ? change(value, version) : undefined;

/** Changes the value in v1 only: earlier versions allow any map there. */
const changedInV1 =
  (change: Change): Change =>
  (value, version) =>
    version === NEWEST ? change(value, version) : value;

/** Drops an empty section: the schemas do not allow one, and it means the same as none. */
export const filled: Change = (value) => {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value;
  return isEntries(value) && Object.keys(value).length === 0 ? undefined : value;
};

const EXPRESSION = /^\$\{\{.*\}\}$/;

/** The schemas allow expressions from v1 on: on one line, and without blanks around them. */
const expressionIn = fromV1((value) => {
  const text = String(value);
  if (EXPRESSION.test(text)) return text;
  const lines = text.trim().split('\n');
  const line = lines.map((each) => each.trim()).join(' ');
  return EXPRESSION.test(line) ? line : undefined;
});

export const orExpression: Change = (value, version) =>
  typeof value === 'string' ? expressionIn(value, version) : value;

const TAG = /^[a-zA-Z][a-zA-Z0-9-]*$/;

const tagIn: Change = (value, version) =>
  typeof value === 'string' && !TAG.test(value) ? expressionIn(value, version) : value;

const tagsIn: Change = (value, version) =>
  Array.isArray(value)
    ? filled(
        changedItems(value, (tag) => tagIn(tag, version)),
        version,
      )
    : tagIn(value, version);

export const concurrencyIn: Change = changedBy({ 'cancel-in-progress': orExpression });

/** In the first version variables were texts, which every shell expands. */
export const variablesIn: Change = (value, version) =>
  version === 'v1alpha1' && isEntries(value)
    ? filled(
        changedEntries(value, (_, variable) => textOfVariable(variable)),
        version,
      )
    : filled(value, version);

const textOfVariable = (variable: unknown): string =>
  isEntries(variable) ? String(variable.value ?? '') : String(variable ?? '');

export const outputsIn = changedInV1((value, version) =>
  isEntries(value)
    ? filled(
        changedEntries(value, (_, output) => (isEntries(output) ? output : String(output))),
        version,
      )
    : value,
);

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

const textsOf = (value: unknown): unknown =>
  isEntries(value) ? changedEntries(value, (_, each) => textOf(each)) : textOf(value);

const axisValue = (value: unknown): unknown => (typeof value === 'number' ? value : textsOf(value));

const valuesIn = (name: string, values: unknown): unknown => {
  if (!Array.isArray(values)) return undefined;
  const isOfCells = name === 'include' || name === 'exclude';
  return filled(changedItems(values, isOfCells ? textsOf : axisValue), NEWEST);
};

/** The schemas allow no expression for a matrix or an axis. */
const matrixIn: Change = (value, version) =>
  isEntries(value) ? filled(changedEntries(value, valuesIn), version) : undefined;

const settingsOfStrategy = changedBy({
  'max-parallel': orExpression,
  'fail-fast': orExpression,
  matrix: matrixIn,
});

export const strategyIn = changedInV1((value, version) =>
  filled(settingsOfStrategy(value, version), version),
);

const STEP = {
  // No published schema has it. Events of workflows keep it as it was written.
  tests: () => undefined,
  variables: variablesIn,
  'timeout-minutes': orExpression,
  'continue-on-error': orExpression,
};

function stepsOf(changes: Readonly<Record<string, Change>>): Change {
  const stepIn = changedBy(changes);
  return (value, version) =>
    Array.isArray(value) ? changedItems(value, (step) => stepIn(step, version)) : value;
}

/** Steps from plugins. */
export const stepsOfResultIn = stepsOf({ ...STEP, shell: fromV1(same) });

/** Before v1 one kind of job stood for others: a job with a generator. */
function asGenerator(job: unknown, version: string): unknown {
  if (version === NEWEST || !isEntries(job)) return job;
  const { uses, jobs, ...others } = job;
  if (uses !== undefined) return { ...others, generator: uses };
  return jobs === undefined ? job : { ...others, generator: '.jobs' };
}

function jobsOf(steps: Change): Change {
  const jobsIn: Change = (value, version) =>
    isEntries(value)
      ? changedEntries(value, (_, job) => jobIn(asGenerator(job, version), version))
      : value;
  const jobIn = changedBy({
    'runs-on': tagsIn,
    variables: variablesIn,
    concurrency: fromV1(concurrencyIn),
    strategy: strategyIn,
    'timeout-minutes': orExpression,
    'continue-on-error': orExpression,
    outputs: outputsIn,
    steps,
    jobs: (value, version) => jobsIn(value, version),
  });
  return jobsIn;
}

/** In every version a step of a workflow may have a shell. */
export const jobsOfWorkflowIn = jobsOf(stepsOf(STEP));
export const jobsOfResultIn = jobsOf(stepsOfResultIn);
