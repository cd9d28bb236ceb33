/** The test that a request is about. A caller who may not see it learns only that. */
import { isUuid, OrchestratorError } from '@tutti/manifests';
import type { FastifyRequest } from 'fastify';
import { type Right, requireAccess } from '../../../auth/access.ts';
import { queryText } from '../../../http/query.ts';
import type { ListedTest } from '../../../store/test-history.ts';
import type { HistoryStore } from './history-store.ts';
import { GET_TESTS, type TestPath } from './words.ts';

/** Throws `NotFound`, also for a malformed id, and `Forbidden`. */
export async function testInPath(
  store: HistoryStore,
  request: FastifyRequest<TestPath>,
  right: Right = GET_TESTS,
): Promise<ListedTest> {
  const { test_id: id } = request.params;
  const test = isUuid(id) ? await store.test(id.toLowerCase()) : null;
  if (test === null) throw new OrchestratorError('NotFound', `Test ${id} not found.`);
  requireAccess(request.access, right, test.namespace);
  return test;
}

/** The lower-case id in a text, null if absent. Throws `Invalid` for text that is no id. */
export function idIn(what: string, id: string | null): string | null {
  if (id === null || isUuid(id)) return id?.toLowerCase() ?? null;
  throw new OrchestratorError('Invalid', `${what} must be a UUID, not "${id}".`);
}

/** The id that a parameter has, null if absent. */
export const queryId = (request: FastifyRequest, name: string): string | null =>
  idIn(`Parameter "${name}"`, queryText(request, name));

/** The variant that the request asks for, null for all. */
export const queryVariant = (request: FastifyRequest): string | null => queryId(request, 'variant');
