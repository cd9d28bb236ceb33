/** Content that the published schemas allow for each kind of event, by version (wire facts part 2). */
import { changedEntries, isEntries } from './changed-entries.ts';
import type { RunEventKind } from './events.ts';
import {
  type Change,
  changedBy,
  concurrencyIn,
  filled,
  fromV1,
  jobsOfResultIn,
  jobsOfWorkflowIn,
  orExpression,
  outputsIn,
  same,
  stepsOfResultIn,
  strategyIn,
  variablesIn,
} from './job-versions.ts';

const notFirst =
  (change: Change): Change =>
  (value, version) =>
    version === 'v1alpha1' ? undefined : change(value, version);

/** Entries of notifications that only the first version knows. They came after the second version branched off. */
const ONLY_FIRST = new Set(['outcome', 'conclusion', 'channelHandler', 'managedTestResult']);

/** Extensions are texts, lists or maps. Earlier versions wrote our flags as booleans, which become texts; plugins' booleans stay. */
const specIn: Change = (value, version) =>
  isEntries(value)
    ? changedEntries(value, (name, each) => {
        if (version === 'v1alpha2' && ONLY_FIRST.has(name)) return undefined;
        const isFlag = typeof each === 'boolean' && name.startsWith('tutti.');
        return isFlag ? String(each) : each;
      })
    : value;

const filledAttachments = { attachments: filled, metadata: changedBy({ attachments: filled }) };

/** By kind: changes the content of an event for a version. Unchanged content is the same object. */
export const contentChanges: Readonly<Record<RunEventKind, Change>> = {
  Workflow: changedBy({
    concurrency: fromV1(concurrencyIn),
    strategy: fromV1(strategyIn),
    'timeout-minutes': fromV1(orExpression),
    inputs: fromV1(filled),
    outputs: fromV1(outputsIn),
    secrets: notFirst(filled),
    variables: variablesIn,
    hooks: filled,
    jobs: jobsOfWorkflowIn,
  }),
  ExecutionCommand: changedBy({ variables: variablesIn }),
  ProviderCommand: changedBy({ step: changedBy({ variables: variablesIn }) }),
  ProviderResult: changedBy({ steps: stepsOfResultIn, hooks: filled, outputs: fromV1(outputsIn) }),
  GeneratorCommand: same,
  GeneratorResult: changedBy({ jobs: jobsOfResultIn, outputs: fromV1(outputsIn) }),
  TestsCommand: same,
  TestsResult: same,
  ExecutionResult: changedBy({
    ...filledAttachments,
    outputs: filled,
    // Later toolkits of the first version know variables, earlier ones refuse them.
    variables: fromV1(filled),
  }),
  ExecutionError: same,
  Notification: changedBy({ spec: specIn }),
  WorkflowResult: changedBy(filledAttachments),
  WorkflowCancellation: same,
  WorkflowCompleted: changedBy({ outputs: fromV1(filled) }),
  WorkflowCanceled: changedBy({ outputs: fromV1(filled) }),
};
