/**
 * Calls provider functions. Answers each `ProviderCommand` with steps that replace the calling one, or with an error that ends the run. A
 * command may be handed over again after a crash. The answer is then the same, and the run takes only one.
 */
import {
  apiVersionOf,
  type ChannelOs,
  executionError,
  type Hook,
  isOrchestratorError,
  type ProviderCommandEvent,
  type RepositoryResource,
  type RunEvent,
  type WorkflowStep,
} from '@tutti/manifests';
import { didYouMean } from '@tutti/manifests/documents';
import { formatFunctionName, type ProviderFunction, parseFunctionName } from '@tutti/sdk';
import { functionOfLabels } from '@tutti/workflow';
import { factOf } from '@tutti/workflow/facts';
import type { EventBus } from '../../bus/bus.ts';
import type { Clock } from '../../runtime/clock.ts';
import { derivedId } from '../../runtime/derived-id.ts';
import { INTERNAL_ERROR } from '../../runtime/sentence.ts';
import type { ProviderCatalog } from './provider-catalog.ts';

interface ProviderHostDeps {
  readonly bus: Pick<EventBus, 'publish' | 'subscribeDurably'>;
  readonly clock: Clock;
  readonly apiGroup: string;
  readonly catalog: ProviderCatalog;
  /** The hooks that the operator wants around calls of functions with this prefix. */
  hooksOf(prefix: string | null): Promise<readonly Hook[]>;
  /** Whether somebody outside of this process subscribed to commands like this one, and will answer it. */
  isAnsweredElsewhere(command: ProviderCommandEvent): boolean;
  /** The labels that the command would need, each to be answered by somebody outside whom its run may know. */
  labelsElsewhere(command: ProviderCommandEvent): readonly Readonly<Record<string, string>>[];
}

/** Subscribes the host; to be called before the bus starts. */
export function hostProviders(deps: ProviderHostDeps): void {
  deps.bus.subscribeDurably('providers', 'ProviderCommand', {
    takes: () => true,
    handle: async (command) => {
      const answer = await answerOf(deps, command);
      if (answer !== null) await deps.bus.publish(answer);
    },
    giveUp: async (command) => {
      const error = `The function "${command.step.uses}" failed: ${INTERNAL_ERROR}`;
      await deps.bus.publish(executionError(deps, command.metadata, error));
    },
  });
}

/** Null when the answer comes from elsewhere. */
async function answerOf(
  deps: ProviderHostDeps,
  command: ProviderCommandEvent,
): Promise<RunEvent | null> {
  // A plugin for a function that is here as well was started to take its place.
  if (deps.isAnsweredElsewhere(command)) return null;
  const name = parseFunctionName(command.step.uses);
  const called = name === null ? null : await deps.catalog.find(name);
  if (called !== null) return await callFunction(deps, called, command);
  return executionError(deps, command.metadata, await unknownFunction(deps, command));
}

async function callFunction(
  deps: ProviderHostDeps,
  called: ProviderFunction,
  command: ProviderCommandEvent,
): Promise<RunEvent> {
  try {
    const steps = await called.call(inputsOf(command), {
      os: osOf(command),
      repositories: repositoriesOf(command),
      selection: factOf(command).selection,
    });
    const hooks = await deps.hooksOf(called.prefix);
    return resultEvent(deps, command, { steps, hooks, outputs: called.outputs });
  } catch (error) {
    const message = isOrchestratorError(error)
      ? error.message
      : `Unexpected execution error: ${error instanceof Error ? error.message : String(error)}`;
    return executionError(deps, command.metadata, message);
  }
}

function inputsOf({ step }: ProviderCommandEvent): Readonly<Record<string, unknown>> {
  const given = step.with;
  return isRecord(given) ? given : {};
}

/** The system in `runner.os`, in any case; linux, the most common one, where it is missing. */
function osOf({ contexts }: ProviderCommandEvent): ChannelOs {
  const { runner } = contexts;
  const os = isRecord(runner) ? String(runner.os).toLowerCase() : '';
  return os === 'windows' || os === 'macos' ? os : 'linux';
}

/** The run itself evaluated them, from a manifest that was checked. */
function repositoriesOf({ contexts }: ProviderCommandEvent): readonly RepositoryResource[] {
  const { resources } = contexts;
  const repositories = isRecord(resources) ? resources.repositories : undefined;
  return isRecord(repositories) ? (Object.values(repositories) as RepositoryResource[]) : [];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function unknownFunction(
  { catalog, labelsElsewhere, apiGroup }: ProviderHostDeps,
  command: ProviderCommandEvent,
): Promise<string> {
  const { uses } = command.step;
  const elsewhere = labelsElsewhere(command).flatMap(
    (labels) => functionOfLabels(labels, apiGroup) ?? [],
  );
  const here = (await catalog.all()).map(({ called }) => formatFunctionName(called));
  const known = [...here, ...elsewhere];
  return `No provider has the function "${uses}"${didYouMean(uses, known) || '.'}`;
}

interface FunctionResult extends Pick<ProviderFunction, 'outputs'> {
  readonly steps: readonly WorkflowStep[];
  readonly hooks: readonly Hook[];
}

function resultEvent(
  { apiGroup, clock }: ProviderHostDeps,
  command: ProviderCommandEvent,
  { steps, hooks, outputs }: FunctionResult,
): RunEvent {
  return {
    apiVersion: apiVersionOf(apiGroup, 'ProviderResult'),
    kind: 'ProviderResult',
    metadata: { ...command.metadata, creationTimestamp: clock.timestamp() },
    steps: steps.map((step, index) => ({ id: stepId(command, index), ...step })),
    ...(hooks.length === 0 ? {} : { hooks }),
    ...(Object.keys(outputs).length === 0 ? {} : { outputs }),
  };
}

/** An id for a step without one; a repeated answer has the same. */
function stepId(command: ProviderCommandEvent, index: number): string {
  const { metadata } = command;
  const { attempt } = factOf(command);
  const ids = [...metadata.step_origin, metadata.step_id];
  // Authors may write slashes.
  const path = ids.map((id) => id.replace(/[%/]/g, encodeURIComponent));
  return derivedId(
    `step ${[metadata.job_id, ...path, index, ...(attempt === 1 ? [] : [attempt])].join('/')}`,
  );
}
