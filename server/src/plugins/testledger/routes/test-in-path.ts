/** The test that a request is about. A caller who may not see it learns only that. */
import { isUuid, OrchestratorError } from '@tutti/manifests';
import type { FastifyRequest } from 'fastify';
import { requireAccess } from '../../../auth/access.ts';
import { queryText } from '../../../http/query.ts';
import type { ListedTest } from '../../../store/test-history.ts';
import type { HistoryStore } from './history-store.ts';
import { GET_TESTS, type TestPath } from './words.ts';

/** Throws `NotFound`, also for a malformed id, and `Forbidden`. */
export async function testInPath(
  store: HistoryStore,
  request: FastifyRequest<TestPath>,
): Promise<ListedTest> {
  const { test_id: id } = request.params;
  const test = isUuid(id) ? await store.test(id.toLowerCase()) : null;
  if (test === null) throw new OrchestratorError('NotFound', `Test ${id} not found.`);
  requireAccess(request.access, GET_TESTS, test.namespace);
  return test;
}

/** The id that a parameter has, null if absent. Throws `Invalid` for text that is no id. */
export function queryId(request: FastifyRequest, name: string): string | null {
  const id = queryText(request, name);
  if (id === null || isUuid(id)) return id?.toLowerCase() ?? null;
  throw new OrchestratorError('Invalid', `Parameter "${name}" must be a UUID, not "${id}".`);
}

/** The variant that the request asks for, null for all. */
export const queryVariant = (request: FastifyRequest): string | null =>
  queryId(request, 'variant');
