import { actorIn, printable } from '@tutti/manifests';

/** The subject of the token whose request caused an event, safe to show; null where no request did. */
export function subjectIn(metadata: object): string | null {
  const actor = actorIn(metadata);
  return actor === null ? null : printable(actor.subject);
}
