/**
 * The publications that a token may send. `publications create` allows publishing in a namespace; some kinds need another right.
 * A token without rights in all namespaces must name one: otherwise inboxes of all namespaces would get the publication.
 */
import {
  channelHandlerOf,
  isRunEventKind,
  OrchestratorError,
  type RunEventKind,
} from '@tutti/manifests';
import { type Access, notAuthorized, type Resource, type Verb } from '../../auth/access.ts';
import type { Publication } from '../../bus/bus.ts';
import type { WorkflowRow } from '../../store/store.ts';
import { entriesOf } from './external-event.ts';

interface Right {
  readonly resource: Resource;
  readonly verb: Verb;
}

export const PUBLISH = { resource: 'publications', verb: 'create' } as const satisfies Right;
const COMMAND = { resource: 'commands', verb: 'create' } as const satisfies Right;
export const RESULT = { resource: 'results', verb: 'create' } as const satisfies Right;
const CANCEL = { resource: 'workflows', verb: 'delete' } as const satisfies Right;

/** The right that a kind needs beside `publications create`; null for none. */
const RIGHT_OF_KIND: Readonly<Record<RunEventKind, Right | null>> = {
  Workflow: COMMAND,
  ExecutionCommand: COMMAND,
  GeneratorCommand: COMMAND,
  ProviderCommand: COMMAND,
  TestsCommand: COMMAND,
  WorkflowCompleted: COMMAND,
  WorkflowCanceled: COMMAND,
  ExecutionResult: RESULT,
  GeneratorResult: RESULT,
  ProviderResult: RESULT,
  TestsResult: RESULT,
  // It stops its run: executors of commands report that they cannot run one.
  ExecutionError: RESULT,
  WorkflowCancellation: CANCEL,
  Notification: null,
  WorkflowResult: null,
};

/** Throws `Forbidden`. `run`: the one that the publication is about; null where no run has its id. */
export function checkPublication(
  access: Access,
  publication: Publication,
  run: Pick<WorkflowRow, 'namespace'> | null,
): void {
  const namespaces = namespacesOf(publication, run);
  const right = rightOf(publication);
  if (namespaces.length === 0 && channelHandlerOf(publication) !== undefined) {
    // Existing channel handlers send no namespace. Then only this server reads the list, limited to the token's namespaces.
    requireSomewhere(access, RESULT);
    return;
  }
  requireIn(access, PUBLISH, namespaces);
  // A plugin takes the command as one of the orchestrator, and may run it on a channel of any namespace.
  if (right !== null) requireIn(access, right, right === COMMAND ? [] : namespaces);
}

/** The right to publish that kind, beside that to publish; null for none. */
function rightOf(publication: Publication): Right | null {
  const { kind } = publication;
  // Channel handlers execute commands, and list their channels.
  if (channelHandlerOf(publication) !== undefined) return RESULT;
  return isRunEventKind(kind) ? RIGHT_OF_KIND[kind] : null;
}

/** Namespaces of the run and of the publication; a value that is no text names none. */
function namespacesOf(
  { metadata }: Publication,
  run: Pick<WorkflowRow, 'namespace'> | null,
): readonly string[] {
  const { namespace } = entriesOf(metadata);
  return [run?.namespace, namespace].filter((name) => typeof name === 'string');
}

/** Throws `Forbidden` unless the token has the right in each of the namespaces. Without any, it must have the right in all that exist. */
function requireIn(access: Access, { resource, verb }: Right, namespaces: readonly string[]): void {
  const allowed = access.namespaces(resource, verb);
  if (allowed === '*') return;
  if (namespaces.length === 0) throw withReason(access, { resource, verb });
  if (!namespaces.every((name) => allowed.has(name))) throw notAuthorized(access, verb, resource);
}

function requireSomewhere(access: Access, { resource, verb }: Right): void {
  const allowed = access.namespaces(resource, verb);
  if (allowed !== '*' && allowed.size === 0) throw notAuthorized(access, verb, resource);
}

function withReason(access: Access, { resource, verb }: Right): OrchestratorError {
  const error =
    resource === COMMAND.resource
      ? 'Only a token that may create commands in all namespaces may publish an event of this kind.'
      : 'This token does not reach all namespaces: name one of its namespaces in metadata.namespace.';
  const { message } = notAuthorized(access, verb, resource);
  return new OrchestratorError('Forbidden', message, { details: { error } });
}
