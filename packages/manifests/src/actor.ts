/** The sender of the request that caused an event: the subject of the token, and the key or the file that the token comes from. */
export interface Actor {
  readonly subject: string;
  readonly key: string;
}

/** The metadata entry that holds the actor. Only the server writes it. */
export const ACTOR_ENTRY = 'tutti.actor';

export const actorEntry = ({ subject, key }: Actor): { readonly [ACTOR_ENTRY]: Actor } => ({
  [ACTOR_ENTRY]: { subject, key },
});

/** Null where the server itself caused the event, and for events of earlier versions. */
export function actorIn(metadata: object): Actor | null {
  const value: unknown = Object.entries(metadata).find(([name]) => name === ACTOR_ENTRY)?.[1];
  if (typeof value !== 'object' || value === null) return null;
  const { subject, key }: { readonly subject?: unknown; readonly key?: unknown } = value;
  return typeof subject === 'string' && typeof key === 'string' ? { subject, key } : null;
}
