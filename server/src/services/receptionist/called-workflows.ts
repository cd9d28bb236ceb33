/**
 * Answers runs that call workflows: reads the file that came with the run, checks it like a workflow that is started, and gives
 * its jobs. As a generator does, but for files of the run; a repeated answer is refused by the run.
 */
import {
  apiVersionOf,
  evaluateInputs,
  type GeneratorCommandEvent,
  isOrchestratorError,
  nameOfFile,
  OrchestratorError,
  type RunEvent,
  type WorkflowManifest,
} from '@tutti/manifests';
import { extension } from '@tutti/workflow';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { EventBus } from '../../bus/bus.ts';
import { readBounded } from '../../http/bodies.ts';
import { readDocument } from '../../http/documents.ts';
import { decodeText } from '../../http/json.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type CheckManifest, createManifestCheck } from './manifest-checks.ts';

export interface CalledWorkflowsDeps {
  readonly bus: Pick<EventBus, 'publish' | 'subscribeDurably'>;
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly clock: Clock;
  readonly apiGroup: string;
  readonly limits: {
    /** Of a workflow, in bytes. */
    readonly bodyBytes: number;
  };
}

/** To be called before the bus starts. */
export function answerCalls(deps: CalledWorkflowsDeps): void {
  const check = createManifestCheck(deps.apiGroup);
  deps.bus.subscribeDurably(
    'called-workflows',
    'GeneratorCommand',
    (command) => fileOf(command) !== null,
    async (command) => {
      await deps.bus.publish(await answerTo(deps, check, command));
    },
    async (command) => {
      await deps.bus.publish(errorEvent(deps, command, 'it cannot be read.'));
    },
  );
}

interface CalledFile {
  readonly file: string;
  readonly blob: string;
}

function fileOf({ metadata }: GeneratorCommandEvent): CalledFile | null {
  const { file, blob } = extension.texts(metadata, 'tutti.uses');
  return file === undefined || blob === undefined ? null : { file, blob };
}

async function answerTo(
  deps: CalledWorkflowsDeps,
  check: CheckManifest,
  command: GeneratorCommandEvent,
): Promise<RunEvent> {
  try {
    const manifest = check(readDocument(await contentOf(deps, command)));
    refuseWhatIsOfTheCaller(manifest);
    return resultEvent(deps, command, manifest);
  } catch (error) {
    if (!isOrchestratorError(error)) throw error;
    return errorEvent(deps, command, problemsOf(error));
  }
}

/** It would not be masked from the start of the run. Names of secrets without values say what the workflow expects. */
function refuseWhatIsOfTheCaller({ secrets = {}, resources = {} }: WorkflowManifest): void {
  const { repositories = [], testmanagers = [] } = resources;
  const hasValues = Object.values(secrets).some((value) => value !== '');
  if (!hasValues && repositories.length === 0 && testmanagers.length === 0) return;
  throw new OrchestratorError(
    'Invalid',
    'values of secrets, repositories and test managers must be those of the workflow that is started.',
  );
}

async function contentOf(
  { blobs, limits }: CalledWorkflowsDeps,
  command: GeneratorCommandEvent,
): Promise<string> {
  const blob = await blobs.get(`${command.metadata.workflow_id}/${fileOf(command)?.blob}`);
  if (blob === null) throw new OrchestratorError('NotFound', 'it is not there any more.');
  const refusal = () =>
    new OrchestratorError(
      'PayloadTooLarge',
      `A workflow may have ${limits.bodyBytes} bytes at most.`,
    );
  return decodeText(await readBounded(blob.content, refusal, limits.bodyBytes), 'The workflow');
}

/** All that is wrong, with the lines, where more than one sentence tells it. */
function problemsOf({ message, details }: OrchestratorError): string {
  return extension.text(details ?? undefined, 'error') ?? message;
}

function resultEvent(
  { apiGroup, clock }: CalledWorkflowsDeps,
  command: GeneratorCommandEvent,
  manifest: WorkflowManifest,
): RunEvent {
  const { variables = {}, defaults = {}, resources, jobs, outputs } = manifest;
  return {
    apiVersion: apiVersionOf(apiGroup, 'GeneratorResult'),
    kind: 'GeneratorResult',
    metadata: {
      ...command.metadata,
      creationTimestamp: clock.timestamp(),
      'tutti.called': {
        name: manifest.metadata.name,
        inputs: evaluateInputs(manifest.inputs ?? {}, command.with ?? {}),
        variables,
        defaults,
        files: (resources?.files ?? []).map(nameOfFile),
      },
    },
    jobs,
    ...(outputs === undefined ? {} : { outputs }),
  };
}

function errorEvent(
  { apiGroup, clock }: CalledWorkflowsDeps,
  command: GeneratorCommandEvent,
  problems: string,
): RunEvent {
  const separator = problems.includes('\n') ? '\n' : ' ';
  return {
    apiVersion: apiVersionOf(apiGroup, 'ExecutionError'),
    kind: 'ExecutionError',
    metadata: { ...command.metadata, creationTimestamp: clock.timestamp() },
    details: {
      error: `Workflow "${fileOf(command)?.file}" cannot be called:${separator}${problems}`,
    },
  };
}
