/**
 * Answers calls of workflows: reads the file of the run, checks it like a started workflow, and returns its jobs. It works like a
 * generator for files of the run; the run refuses repeated answers.
 */
import {
  apiVersionOf,
  evaluateInputs,
  executionError,
  type GeneratorCommandEvent,
  type InputProblem,
  isOrchestratorError,
  nameOfFile,
  OrchestratorError,
  problemsOfGiven,
  type RunEvent,
} from '@tutti/manifests';
import { calledEntry, factOf, problemEntries, warningEntries } from '@tutti/workflow/facts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { EventBus } from '../../bus/bus.ts';
import { readBounded } from '../../http/bodies.ts';
import type { DocumentTasks } from '../../http/document-tasks.ts';
import type { Clock } from '../../runtime/clock.ts';
import { INTERNAL_ERROR } from '../../runtime/sentence.ts';
import { cannotBeCalled, problemsOf } from './called-problems.ts';
import type { ReadWorkflow } from './workflow-source.ts';
import { READ_WORKFLOW } from './workflow-tasks.ts';

interface CalledWorkflowsDeps {
  readonly bus: Pick<EventBus, 'publish' | 'subscribeDurably'>;
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly documents: Pick<DocumentTasks, 'run'>;
  readonly clock: Clock;
  readonly apiGroup: string;
  readonly limits: {
    /** Limit for a workflow, in bytes. */
    readonly bodyBytes: number;
  };
}

/** To be called before the bus starts. */
export function answerCalls(deps: CalledWorkflowsDeps): void {
  deps.bus.subscribeDurably('called-workflows', 'GeneratorCommand', {
    takes: (command) => fileOf(command) !== null,
    handle: async (command) => {
      await deps.bus.publish(await answerTo(deps, command));
    },
    giveUp: async (command) => {
      await deps.bus.publish(refusal(deps, command, INTERNAL_ERROR));
    },
  });
}

const fileOf = (command: GeneratorCommandEvent) => factOf(command).called;

/** Else the file came with the run. */
const isFromRepository = (command: GeneratorCommandEvent): boolean =>
  (fileOf(command)?.fetched ?? null) !== null;

async function answerTo(
  deps: CalledWorkflowsDeps,
  command: GeneratorCommandEvent,
): Promise<RunEvent> {
  try {
    const use = isFromRepository(command) ? 'called-in-repository' : 'called';
    const key = `${command.metadata.workflow_id}/${fileOf(command)?.blob}`;
    const content = await readCalledFile(deps, key);
    const { manifest, warnings } = await deps.documents.run(
      READ_WORKFLOW,
      { source: { content, contentType: null }, use, apiGroup: deps.apiGroup },
      {
        what: 'The workflow',
        share: `namespace ${command.metadata.namespace}`,
        bytes: content.length,
      },
    );
    const problems = problemsOfGiven(manifest.inputs ?? {}, command.with ?? {});
    return problems.length === 0
      ? resultEvent(deps, command, { manifest, warnings })
      : refusedInputs(deps, command, problems);
  } catch (error) {
    if (!isOrchestratorError(error) || isOfLoad(error)) throw error;
    return refusal(deps, command, problemsOf(error));
  }
}

/** The file may be valid: it is read when there is room. */
const isOfLoad = ({ reason }: OrchestratorError): boolean =>
  reason === 'TooManyRequests' || reason === 'ServiceUnavailable';

/** A wrong file of the request is a mistake of the run. One in a repository is a failure of the job. */
function refusal(
  deps: CalledWorkflowsDeps,
  command: GeneratorCommandEvent,
  problems: string,
): RunEvent {
  return isFromRepository(command)
    ? answer(deps, command, problemEntries([problems]))
    : executionError(deps, command.metadata, cannotBeCalled(fileOf(command)?.file, problems));
}

/** Wrong inputs are a problem of the calling job, so the error names it. */
function refusedInputs(
  deps: CalledWorkflowsDeps,
  command: GeneratorCommandEvent,
  problems: readonly InputProblem[],
): RunEvent {
  const file = fileOf(command);
  const messages = problems.map(({ message }) => message);
  if (isFromRepository(command))
    return answer(deps, command, problemEntries([messages.join('\n')]));
  const texts = messages.map((message) => cannotBeCalled(file?.file, message));
  const error = texts.map((text) => `${placeOf(command)}: ${text}`).join('\n');
  return executionError(deps, command.metadata, error);
}

/** The place in the form of run errors: with the key of the job. */
const placeOf = (command: GeneratorCommandEvent): string =>
  `jobs.${factOf(command).job ?? command.metadata.name}.with`;

/** Content of the file under this key. Throws `NotFound` if there is none, `PayloadTooLarge` if it is too large for a workflow. */
export async function readCalledFile(
  { blobs, limits }: Pick<CalledWorkflowsDeps, 'blobs' | 'limits'>,
  key: string,
): Promise<Buffer> {
  const blob = await blobs.get(key);
  if (blob === null) throw new OrchestratorError('NotFound', 'it is not there any more.');
  const refusal = () =>
    new OrchestratorError(
      'PayloadTooLarge',
      `A workflow may have ${limits.bodyBytes} bytes at most.`,
    );
  return await readBounded(blob.content, refusal, limits.bodyBytes);
}

function resultEvent(
  deps: CalledWorkflowsDeps,
  command: GeneratorCommandEvent,
  { manifest, warnings }: ReadWorkflow,
): RunEvent {
  const { variables = {}, defaults = {}, resources, jobs, outputs, hooks, strategy } = manifest;
  const minutes = manifest['timeout-minutes'];
  const entries = {
    ...warningEntries(warnings.map((text) => `Workflow "${fileOf(command)?.file}": ${text}`)),
    ...calledEntry({
      name: manifest.metadata.name,
      inputs: evaluateInputs(manifest.inputs ?? {}, command.with ?? {}),
      variables,
      defaults,
      files: (resources?.files ?? []).map(nameOfFile),
      ...(hooks === undefined ? {} : { hooks }),
      ...(strategy === undefined ? {} : { strategy }),
      ...(minutes === undefined ? {} : { 'timeout-minutes': minutes }),
    }),
  };
  return { ...answer(deps, command, entries), jobs, ...(outputs === undefined ? {} : { outputs }) };
}

/** A result without jobs. */
const answer = (
  { apiGroup, clock }: CalledWorkflowsDeps,
  { metadata }: GeneratorCommandEvent,
  entries: object,
) => ({
  apiVersion: apiVersionOf(apiGroup, 'GeneratorResult'),
  kind: 'GeneratorResult' as const,
  metadata: { ...metadata, creationTimestamp: clock.timestamp(), ...entries },
  jobs: {},
});
