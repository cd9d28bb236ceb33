/** Version and branch that a run tests, as its request names them: `version=` and `branch=`. */
import { messages, OrchestratorError } from '@tutti/manifests';
import type { FastifyRequest } from 'fastify';
import { queryText } from '../../http/query.ts';

/** Characters: texts of all repositories of a run, and a hash of what is not committed. It is a key of an index. */
export const TESTED_TEXT_MAX = 500;

/** Null if the request does not say it, or says nothing. */
export function testedText(request: FastifyRequest, name: 'version' | 'branch'): string | null {
  const text = queryText(request, name)?.trim() || null;
  if (text !== null && text.length > TESTED_TEXT_MAX) {
    throw new OrchestratorError('Invalid', messages.testedTextTooLong(name, TESTED_TEXT_MAX));
  }
  return text;
}
