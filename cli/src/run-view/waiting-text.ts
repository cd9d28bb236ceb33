/** Why a job has not begun, in a few words. */

import { cleanLine } from '../terminal/style.ts';
import type { JobView } from './job-view.ts';
import type { RunView } from './run-view.ts';

/** Names of jobs that are waited for; the rest is a number. */
const NAMED_MAX = 3;
const UNKNOWN = 'waits';

/** What the server says of it or of the whole run, else what is known of it; null where nothing is. */
export function waitingReason(view: RunView, job: JobView): string | null {
  const ofRun = view.phase === 'PENDING' ? view.waiting : null;
  const text = job.waiting ?? ofRun ?? waitingText(view, job);
  return text === UNKNOWN ? null : text;
}

/** The server's sentence as far as it tells more than the row of the job: `Job "a" waits: x.` is `waits: x`. */
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
