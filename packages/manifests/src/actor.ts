import { OWN_ENTRIES } from './own-entries.ts';

/** The sender of the request that caused an event, as the subject of the token and its key or file. */
export interface Actor {
  readonly subject: string;
  readonly key: string;
}

/** The metadata entry that holds the actor. Only the server writes it. */
export const actorEntry = ({ subject, key }: Actor): { readonly [OWN_ENTRIES.actor]: Actor } => ({
  [OWN_ENTRIES.actor]: { subject, key },
});

/** The actor of an event; null if the server itself caused it, and for events of earlier versions. */
export function actorIn(metadata: object): Actor | null {
  const value: unknown = Object.entries(metadata).find(([name]) => name === OWN_ENTRIES.actor)?.[1];
  if (typeof value !== 'object' || value === null) return null;
  const { subject, key }: { readonly subject?: unknown; readonly key?: unknown } = value;
  return typeof subject === 'string' && typeof key === 'string' ? { subject, key } : null;
}
