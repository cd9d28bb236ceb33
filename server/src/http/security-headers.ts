/** Headers of every response (wire facts 7.2). Routes that need others set them afterwards. */
import type { FastifyReply } from 'fastify';

export const SECURITY_HEADERS = {
  'Strict-Transport-Security': 'max-age=31536000; includeSubdomains',
  'X-Frame-Options': 'SAMEORIGIN',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'",
} as const;

export function setSecurityHeaders(reply: FastifyReply): void {
  reply.headers(SECURITY_HEADERS);
}
