/** The metadata entry with the actor. Every event that a request causes has it. */
import { type Actor, actorEntry, type RunEvent } from '@tutti/manifests';
import type { Access } from './access.ts';

export const actorOf = ({ subject, keyId }: Access): Actor => ({ subject, key: keyId });

export const actorEntryOf = (access: Access): ReturnType<typeof actorEntry> =>
  actorEntry(actorOf(access));

/** The event, with the actor of the request. */
export const withActor = <Event extends RunEvent>(event: Event, access: Access): Event => ({
  ...event,
  metadata: { ...event.metadata, ...actorEntryOf(access) },
});
