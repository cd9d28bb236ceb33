/** The token of a request (wire facts 8.1). */
import { OrchestratorError } from '@tutti/manifests';
import { LIMITS } from '../runtime/limits.ts';

const BEARER = /^bearer +([^\s]+)$/i;

/** Null where the header has none. */
export const tokenIn = (header: string): string | null => BEARER.exec(header)?.[1] ?? null;

/** The token of an `Authorization` header. Throws `Unauthorized` for one without a token. */
export function bearerToken(header: string | undefined): string {
  if (header === undefined || header === '') throw unauthorized('No Bearer token');
  const token = tokenIn(header);
  if (token === null) throw unauthorized('Invalid Authorization header.');
  if (token.length > LIMITS.tokenBytes) throw badToken();
  return token;
}

export const badToken = (error?: string) => unauthorized('Invalid JWT token.', error);

const unauthorized = (message: string, error?: string): OrchestratorError =>
  new OrchestratorError('Unauthorized', message, { details: error ? { error } : null });
