/** The jobs that a request names: `jobs=a,b`. */
import { messages, OrchestratorError, type WorkflowJobs } from '@tutti/manifests';
import { didYouMean } from '@tutti/manifests/documents';
import type { FastifyRequest } from 'fastify';
import { queryText } from '../../http/query.ts';

/** Limit of listed names. */
const SHOWN_MAX = 20;

/** Null if the request names no jobs. Throws `Invalid` for unknown names. */
export function askedJobs(request: FastifyRequest, jobs: WorkflowJobs): readonly string[] | null {
  const text = queryText(request, 'jobs');
  if (text === null) return null;
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) throw new OrchestratorError('Invalid', messages.jobsMissing());
  const unknown = names.filter((name) => !Object.hasOwn(jobs, name));
  if (unknown.length > 0) throw unknownJobs(unknown, Object.keys(jobs));
  return [...new Set(names)];
}

function unknownJobs(names: readonly string[], known: readonly string[]): OrchestratorError {
  const [only = '', ...others] = names;
  const meant = others.length === 0 ? didYouMean(only, known) : '';
  const shown = known.slice(0, SHOWN_MAX);
  const more = known.length - shown.length;
  return new OrchestratorError('Invalid', messages.jobsUnknown(names, meant, shown, more));
}
