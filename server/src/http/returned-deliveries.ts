/**
 * Deliveries of an event bus that came back. An inbox may lead to a server: to this one through a proxy, or to another one. What an
 * endpoint makes of a delivery is an event again, so one publication would go round for ever.
 */
import { messages, OrchestratorError } from '@tutti/manifests';
import type { FastifyRequest } from 'fastify';

/** A bus sends both with each delivery; clients send neither. */
const HEADERS = ['X-Subscription-ID', 'X-Publication-ID'];

/** Throws `Forbidden` for a delivery. */
export function refuseDelivery({ raw: { method, headers } }: FastifyRequest): void {
  if (method !== 'POST') return;
  const header = HEADERS.find((name) => headers[name.toLowerCase()] !== undefined);
  if (header !== undefined) {
    throw new OrchestratorError('Forbidden', messages.deliveryReturned(header));
  }
}
