/**
 * The run that a request is about. Every endpoint with a run in its path looks it up first. A bearer who may not see a run learns
 * only that, and a missing run is the only reported mistake.
 */
import { type WorkflowId, workflowIdInPath, workflowNotFound } from '@tutti/manifests';
import type { FastifyRequest, RouteGenericInterface } from 'fastify';
import { type Access, type Resource, requireAccess, type Verb } from '../auth/access.ts';

export interface RunPath extends RouteGenericInterface {
  Params: { workflow_id: string };
}

/** The right that the bearer needs in the namespace of the run. */
export interface RunRight {
  readonly resource: Resource;
  readonly verb: Verb;
}

interface RunReader<Row> {
  workflow(workflowId: WorkflowId): Promise<Row | null>;
}

/** The run in a path. Throws `NotFound`, also for a malformed id, and `Forbidden`. */
export function runInPath<Row extends { readonly namespace: string }>(
  store: RunReader<Row>,
  request: FastifyRequest<RunPath>,
  right: RunRight,
): Promise<Row> {
  return knownRun(store, workflowIdInPath(request.params.workflow_id), request.access, right);
}

/** Throws `NotFound` and `Forbidden`. */
export async function knownRun<Row extends { readonly namespace: string }>(
  store: RunReader<Row>,
  workflowId: WorkflowId,
  access: Access,
  right: RunRight,
): Promise<Row> {
  const row = await store.workflow(workflowId);
  if (row === null) throw workflowNotFound(workflowId);
  requireAccess(access, right, row.namespace);
  return row;
}

/** A hook for `onRequest` of routes with a body, which is not read for a request that is refused anyhow. */
export function checkRunFirst(
  store: RunReader<{ readonly namespace: string }>,
  right: RunRight,
): (request: FastifyRequest<RunPath>) => Promise<void> {
  return async (request) => {
    await runInPath(store, request, right);
  };
}
