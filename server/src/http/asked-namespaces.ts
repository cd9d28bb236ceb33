/** The namespaces of a list: the one that the request names, or all in which the caller may list. */
import type { FastifyRequest } from 'fastify';
import { type Right, requireAccessAsAsked } from '../auth/access.ts';
import { queryPhrase } from './query.ts';

/** Null for all. Throws `Forbidden` for a namespace in which the caller may not. */
export function askedNamespaces(request: FastifyRequest, right: Right): readonly string[] | null {
  const { access } = request;
  const asked = queryPhrase(request, 'namespace');
  if (asked !== null) {
    requireAccessAsAsked(access, right, asked);
    return [asked];
  }
  const allowed = access.namespaces(right.resource, right.verb);
  return allowed === '*' ? null : [...allowed];
}
