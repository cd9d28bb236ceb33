/** Why a job has not begun, in a few words. */

import { cleanLine } from './clean-text.ts';
import type { JobView } from './job-view.ts';
import type { RunView } from './run-view.ts';

/** Names of jobs that are waited for; the rest is a number. */
const NAMED_MAX = 3;
const UNKNOWN = 'waits';

/** Reason that the server gives for the job or the run, or else the known one. Null if there is none. */
export function waitingReason(view: RunView, job: JobView): string | null {
  const ofRun = view.phase === 'PENDING' ? view.waiting : null;
  const text = job.waiting ?? ofRun ?? waitingText(view, job);
  return text === UNKNOWN ? null : text;
}

/** The server's sentence without the name of the job: `Job "a" waits: x.` becomes `waits: x`. */
export function waitingText({ jobs }: RunView, job: JobView): string {
  if (job.waiting !== null) {
    const [, reason = job.waiting] = /^.*? waits: (.*?)\.?$/s.exec(job.waiting) ?? [];
    return cleanLine(`waits: ${reason}`);
  }
  if (job.asked !== null) return cleanLine(`waits: ${job.asked}`);
  const open = job.needs.flatMap((key) => {
    const needed = jobs.get(key);
    return needed === undefined || needed.phase === 'ENDED' ? [] : [needed.name];
  });
  if (open.length === 0) return UNKNOWN;
  const more = open.length > NAMED_MAX ? ` and ${open.length - NAMED_MAX} more` : '';
  return cleanLine(`waits for ${open.slice(0, NAMED_MAX).join(', ')}${more}`);
}
