/** Checks events from outside by the schemas of their kinds. */
import {
  type ExternalEventKind,
  externalEventSchemas,
  SENT_TEXT_LENGTH_MAX,
  type Timestamp,
} from '@tutti/manifests';
import type { Publication } from '../../bus/bus.ts';
import { type Problem, problemsByKind } from '../../http/validate.ts';
import { acceptedNotification } from './accepted-notification.ts';

const externalProblems = problemsByKind(externalEventSchemas);

/** The event as the run gets it, and its problems. */
export function checkedEvent(publication: Publication, kind: ExternalEventKind, now: Timestamp) {
  const sent = kind === 'Notification' ? acceptedNotification(publication, now) : publication;
  const problems = externalProblems[kind](sent);
  return { sent, problems: problems.length > 0 ? problems : longScripts(sent.steps) };
}

/** Problems of long scripts in the steps of a provider. */
function longScripts(steps: unknown): readonly Problem[] {
  if (!Array.isArray(steps)) return [];
  return steps.flatMap(({ run = '' }, index): readonly Problem[] => {
    if (run.length <= SENT_TEXT_LENGTH_MAX) return [];
    const message = `must have at most ${SENT_TEXT_LENGTH_MAX} characters`;
    return [{ path: ['steps', index, 'run'], message }];
  });
}
