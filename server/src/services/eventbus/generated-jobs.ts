/** Problems of the jobs that a generator answers. */
import { type GeneratorResultEvent, isOrchestratorError, type RunEvent } from '@tutti/manifests';
import { sortProblems } from '@tutti/manifests/documents';
import { warningEntries } from '@tutti/workflow/facts';
import type { Publication } from '../../bus/bus.ts';
import type { DocumentTasks } from '../../http/document-tasks.ts';
import type { Problem } from '../../http/validate.ts';
import { sentencesOf, withProblems } from './malformed-event.ts';
import { CHECK_JOBS } from './publication-tasks.ts';

/** A run that waits for jobs must learn of wrong ones, or it would wait for ever. It gets the problems instead. */
export async function withJobProblems(
  documents: Pick<DocumentTasks, 'run'>,
  event: GeneratorResultEvent,
): Promise<RunEvent> {
  const problems = await problemsIn(documents, event, event.metadata.namespace);
  const { errors, warnings } = sortProblems(problems);
  if (errors.length > 0) return { ...withProblems(event, sentencesOf(errors)), jobs: {} };
  if (warnings.length === 0) return event;
  const metadata = { ...event.metadata, ...warningEntries(sentencesOf(warnings)) };
  return { ...event, metadata };
}

/** Problems of the jobs in an answer that has other mistakes, too. */
export async function problemsOfGenerated(
  documents: Pick<DocumentTasks, 'run'>,
  answer: Publication,
  namespace: string,
): Promise<readonly Problem[]> {
  return sortProblems(await problemsIn(documents, answer, namespace)).errors;
}

async function problemsIn(
  documents: Pick<DocumentTasks, 'run'>,
  { jobs, outputs }: { readonly jobs?: unknown; readonly outputs?: unknown },
  namespace: string,
): Promise<readonly Problem[]> {
  const isMap = typeof outputs === 'object' && outputs !== null && !Array.isArray(outputs);
  const input = { jobs, outputs: isMap ? { ...outputs } : {} };
  const bytes = JSON.stringify(input).length;
  const asker = { what: 'The answer of the generator', share: `namespace ${namespace}`, bytes };
  try {
    return await documents.run(CHECK_JOBS, input, asker);
  } catch (error) {
    // The run gets jobs that take too long to check as wrong ones.
    if (!isOrchestratorError(error) || error.reason !== 'Invalid') throw error;
    return [{ path: ['jobs'], message: error.message }];
  }
}
