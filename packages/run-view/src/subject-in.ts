import { actorIn, printable } from '@tutti/manifests';

/** Subject of the token whose request caused an event, safe to show; null if no request did. */
export function subjectIn(metadata: object): string | null {
  const actor = actorIn(metadata);
  return actor === null ? null : printable(actor.subject);
}
