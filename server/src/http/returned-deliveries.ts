/**
 * Refuses deliveries of an event bus that came back. An inbox may be a server: this one behind a proxy, or another. An endpoint
 * turns a delivery into a new event, so one publication would circulate for ever.
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
