/** What the bearer of a token may do (specification part 5). */

export const RESOURCES = [
  'agents',
  'channelhandlers',
  'channels',
  'publications',
  'qualitygates',
  'status',
  'subscriptions',
  'workflows',
] as const;
export type Resource = (typeof RESOURCES)[number];

export const VERBS = ['list', 'get', 'create', 'delete'] as const;
export type Verb = (typeof VERBS)[number];

export interface Access {
  readonly subject: string;
  /** Namespaces in which `verb` on `resource` is allowed; `*` means all. An empty set means none. */
  namespaces(resource: Resource, verb: Verb): ReadonlySet<string> | '*';
}

/** True when the operation is allowed in that namespace. */
export function isAllowed(
  access: Access,
  resource: Resource,
  verb: Verb,
  namespace: string,
): boolean {
  const allowed = access.namespaces(resource, verb);
  return allowed === '*' || allowed.has(namespace);
}
