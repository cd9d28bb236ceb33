/** Sends a Status manifest with the HTTP code of its reason. */
import type { Status } from '@tutti/manifests';
import type { FastifyReply } from 'fastify';

export function sendStatus(reply: FastifyReply, status: Status): FastifyReply {
  // A request that waited too long for the database has its answer.
  return reply.sent ? reply : reply.code(status.code).send(status);
}
