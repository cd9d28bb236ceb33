/** The session: its subject, and what its token allows. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { ask } from './api.ts';

export interface Session {
  readonly subject: string;
  /** Null if it never ends. */
  readonly expires: string | null;
  /** Namespaces by resource and verb; `*` stands for all. */
  readonly rights: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => ask<Session>({ path: '/ui/session', signal }),
  staleTime: 60_000,
});

/** Whether the token allows something, in a namespace or in any. */
export function allows(
  session: Session | undefined,
  [verb, resource]: readonly [verb: string, resource: string],
  namespace?: string,
): boolean {
  const namespaces = session?.rights[resource]?.[verb] ?? [];
  if (namespace === undefined) return namespaces.length > 0;
  return namespaces.includes('*') || namespaces.includes(namespace);
}

/** The session of this page, once it is known. */
export const useSession = (): Session | undefined => useQuery(sessionQuery).data;
