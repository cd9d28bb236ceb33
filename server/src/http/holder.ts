import type { FastifyRequest } from 'fastify';
import type { Holder } from '../runtime/shares.ts';

/** The holder of shares that a request is for: the subject of its token, and the namespaces where that may do what the route needs. */
export function holderOf({ access, routeOptions }: FastifyRequest): Holder {
  const needed = routeOptions.config.access;
  const { resource, verb } = needed === undefined || needed === 'none' ? WITHOUT_RIGHT : needed;
  return { subject: access.subject, namespaces: access.namespaces(resource, verb) };
}

/** For routes that any valid token may use. */
const WITHOUT_RIGHT = { resource: 'workflows', verb: 'get' } as const;

/**
 * The name under which senders take turns. Many subjects of the same namespaces are one, so that they leave room to others; one that reaches
 * all namespaces counts alone.
 */
export function tenantOf(request: FastifyRequest): string {
  const { subject, namespaces } = holderOf(request);
  return namespaces === '*' ? subject : JSON.stringify([...namespaces].sort());
}
