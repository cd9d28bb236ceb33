/** The `Workflow` event of a run: the manifest with the values given at its start (wire facts 2.5). */
import {
  type Actor,
  actorEntry,
  apiVersionOf,
  type Hook,
  type InputValues,
  OrchestratorError,
  type RunEvent,
  type StepId,
  type Steps,
  type Timestamp,
  VARIABLES_MAX,
  type Variables,
  type WorkflowEvent,
  type WorkflowId,
  type WorkflowManifest,
  withoutOwnEntries,
} from '@tutti/manifests';
import {
  canHide,
  stepIdSteps,
  TOO_MANY_SECRETS,
  TRACEPARENT_VARIABLE,
  withId,
} from '@tutti/workflow';
import { annotationEntries, traceparentEntry, warningEntries } from '@tutti/workflow/facts';
import type { EventBus } from '../../bus/bus.ts';
import type { TraceOfStart } from './trace-of-start.ts';

interface RunStart {
  readonly workflowId: WorkflowId;
  readonly namespace: string;
  readonly createdAt: Timestamp;
  readonly apiGroup: string;
  readonly newStepId: () => StepId;
  /** Replace variables of the same name. */
  readonly variables: ReadonlyMap<string, string>;
  /** Values of the declared inputs. */
  readonly inputs: InputValues;
  /** Resource files: name to name of the blob in the scope of the run. */
  readonly files: ReadonlyMap<string, string>;
  readonly trace: TraceOfStart;
  readonly isLocal: boolean;
  /** Names of the jobs to run, with the jobs that they need; null for all. */
  readonly jobs: readonly string[] | null;
  /** The run that this one runs again; null for none. */
  readonly rerunOf: WorkflowId | null;
  /** Version and branch that the run tests; null where nobody said it. */
  readonly version: string | null;
  readonly branch: string | null;
  readonly actor: Actor;
  /** About the manifest: the run writes them into its log. */
  readonly warnings: readonly string[];
}

/** Shares everything that does not change with the manifest, which must not be changed afterwards. */
export function* workflowEventSteps(
  manifest: WorkflowManifest,
  start: RunStart,
): Steps<WorkflowEvent> {
  const { variables: _, secrets: __, hooks, ...rest } = manifest;
  return {
    ...rest,
    apiVersion: apiVersionOf(start.apiGroup, 'Workflow'),
    kind: 'Workflow',
    metadata: metadataOf(manifest, start),
    ...withGiven(manifest, start),
    jobs: yield* stepIdSteps(manifest.jobs, start.newStepId),
    ...(hooks === undefined ? {} : { hooks: hooks.map((hook) => withHookIds(hook, start)) }),
  };
}

/** Given variables replace those of the manifest. A variable with the name of a secret is secret, too. */
function withGiven(
  { variables, secrets, resources }: WorkflowManifest,
  start: RunStart,
): Pick<WorkflowManifest, 'variables' | 'secrets'> {
  const isSecret = (name: string) => secrets !== undefined && Object.hasOwn(secrets, name);
  const given = [...start.variables];
  const open = Object.fromEntries(
    given
      .filter(([name]) => !isSecret(name))
      .map(([name, value]) => [name, withValue(variables, name, value)]),
  );
  const hidden = Object.fromEntries(given.filter(([name]) => isSecret(name)));
  const offered = isSecret(TRACEPARENT_VARIABLE) ? {} : traceVariable(start);
  const all = { ...offered, ...variables, ...open };
  checkCount(Object.keys(all).length);
  checkSecrets({ ...secrets, ...hidden }, resources);
  const hasVariables = variables !== undefined || Object.keys(all).length > 0;
  return {
    ...(hasVariables ? { variables: all } : {}),
    ...(secrets === undefined ? {} : { secrets: { ...secrets, ...hidden } }),
  };
}

/** The limit of environments; each step gets all variables. */
function checkCount(count: number): void {
  if (count <= VARIABLES_MAX) return;
  const message = `A run may have at most ${VARIABLES_MAX} variables, and not ${count}.`;
  throw new OrchestratorError('Invalid', message);
}

/** Each secret, and each credential of an address, is masked wherever it appears in the run. */
function checkSecrets(
  secrets: Readonly<Record<string, string>>,
  { files = [], repositories = [] }: NonNullable<WorkflowManifest['resources']> = {},
): void {
  const addresses = [
    ...files.flatMap((file) => (typeof file === 'string' ? [] : [file.url])),
    ...repositories.map(({ endpoint }) => endpoint),
  ].filter((address) => address.includes('@'));
  const texts = [...Object.values(secrets), ...addresses];
  if (texts.length > 0 && !canHide(texts)) throw new OrchestratorError('Invalid', TOO_MANY_SECRETS);
}

/** The trace for programs of the steps; the author's own value wins. */
const traceVariable = ({ trace }: RunStart): Variables =>
  trace.offered === null ? {} : { [TRACEPARENT_VARIABLE]: trace.offered };

/** The author's setting for passing on the variable stays. */
function withValue(
  variables: Variables | undefined,
  name: string,
  value: string,
): Variables[string] {
  const variable =
    variables !== undefined && Object.hasOwn(variables, name) ? variables[name] : undefined;
  return typeof variable === 'object' ? { ...variable, value } : value;
}

function metadataOf({ metadata }: WorkflowManifest, start: RunStart): WorkflowEvent['metadata'] {
  const annotations = annotationsOf(metadata.annotations, start);
  const { annotations: _, ...rest } = withoutOwnEntries(metadata);
  return {
    ...rest,
    name: metadata.name,
    namespace: start.namespace,
    workflow_id: start.workflowId,
    creationTimestamp: start.createdAt,
    ...actorEntry(start.actor),
    ...traceparentEntry(start.trace.parent),
    ...(metadata.labels === undefined ? {} : { labels: metadata.labels }),
    ...warningEntries(start.warnings),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

function annotationsOf(
  given: unknown,
  { inputs, files, isLocal, jobs: chosen, rerunOf, version, branch }: RunStart,
): Record<string, unknown> {
  const isMap = typeof given === 'object' && given !== null && !Array.isArray(given);
  return {
    ...(isMap ? withoutOwnEntries(given) : {}),
    ...annotationEntries({
      ...{ inputs, files: Object.fromEntries(files), isLocal },
      ...{ chosen, rerunOf, version, branch },
    }),
  };
}

function withHookIds(hook: Hook, { newStepId }: RunStart): Hook {
  const { before, after } = hook;
  return {
    ...hook,
    ...(before === undefined ? {} : { before: before.map((step) => withId(step, newStepId)) }),
    ...(after === undefined ? {} : { after: after.map((step) => withId(step, newStepId)) }),
  };
}

/** Publishes the first event of a run. Resolves when the run is durable, with the events that follow at once. */
export async function publishRun(
  bus: Pick<EventBus, 'publish'>,
  event: WorkflowEvent,
  following: readonly RunEvent[] = [],
): Promise<void> {
  const events = [event, ...following];
  const published = await bus.publish(events.at(-1) ?? event, { preceding: events.slice(0, -1) });
  if (published.outcome === 'refused') {
    throw new OrchestratorError(
      'Conflict',
      `Workflow ${event.metadata.name} could not be published: ${published.why}`,
    );
  }
}
