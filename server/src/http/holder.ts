import type { FastifyRequest } from 'fastify';
import type { Holder } from '../runtime/shares.ts';

/** The share holder of a request. It is the subject of its token, and the namespaces where the token has the route's right. */
export function holderOf({ access, routeOptions }: FastifyRequest): Holder {
  const needed = routeOptions.config.access;
  const { resource, verb } = needed === undefined || needed === 'none' ? WITHOUT_RIGHT : needed;
  return { subject: access.subject, namespaces: access.namespaces(resource, verb) };
}

/** For routes that any valid token may use. */
const WITHOUT_RIGHT = { resource: 'workflows', verb: 'get' } as const;

/**
 * The tenant by which senders take turns. Subjects of the same namespaces count as one, so that they leave room to others. One
 * with all namespaces counts alone.
 */
export function tenantOf(request: FastifyRequest): string {
  const { subject, namespaces } = holderOf(request);
  return namespaces === '*' ? subject : JSON.stringify([...namespaces].sort());
}
