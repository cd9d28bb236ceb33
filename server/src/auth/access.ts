/** Rights of the bearer of a token (specification part 5). */
import { OrchestratorError } from '@tutti/manifests';

export const RESOURCES = [
  'agents',
  'channelhandlers',
  'channels',
  'commands',
  'metrics',
  'providers',
  'publications',
  'qualitygates',
  'results',
  'status',
  'subscriptions',
  'tests',
  'workflows',
] as const;
export type Resource = (typeof RESOURCES)[number];

export const VERBS = ['list', 'get', 'create', 'delete'] as const;
export type Verb = (typeof VERBS)[number];

export interface Right {
  readonly resource: Resource;
  readonly verb: Verb;
}

export interface Access {
  readonly subject: string;
  /** Id of the key, or of the file, of the token. */
  readonly keyId: string;
  /** Namespaces in which `verb` on `resource` is allowed; `*` means all. An empty set means none. */
  namespaces(resource: Resource, verb: Verb): ReadonlySet<string> | '*';
}

/** True when the operation is allowed in that namespace. */
export function isAllowed(access: Access, { resource, verb }: Right, namespace: string): boolean {
  const allowed = access.namespaces(resource, verb);
  return allowed === '*' || allowed.has(namespace);
}

/** Access where rights on workflows include their status, which is a part of them. */
export function withStatus(access: Access): Access {
  return {
    ...access,
    namespaces: (resource, verb) => {
      const own = access.namespaces(resource, verb);
      if (resource !== 'status' || own === '*') return own;
      const ofWorkflows = access.namespaces('workflows', verb);
      return ofWorkflows === '*' ? '*' : new Set([...own, ...ofWorkflows]);
    },
  };
}

/** The key id of requests without a token. */
export const NO_KEY = 'none';

/** Access of requests without a token. */
export const NO_ACCESS: Access = {
  subject: 'nobody',
  keyId: NO_KEY,
  namespaces: () => new Set(),
};

/** A token that is valid, but not for this (wire facts 8.3). */
export function notAuthorized(access: Access, verb: Verb, resource: Resource): OrchestratorError {
  return new OrchestratorError(
    'Forbidden',
    `User ${access.subject} is not authorized to ${verb} ${resource}.`,
  );
}

/** Checks a right in the namespace that the request itself names, so the refusal may name it, too. */
export function requireAccessAsAsked(access: Access, right: Right, namespace: string): void {
  if (isAllowed(access, right, namespace)) return;
  const { resource, verb } = right;
  const { message } = notAuthorized(access, verb, resource);
  const error = `This token may not ${verb} ${resource} in namespace "${namespace}".`;
  throw new OrchestratorError('Forbidden', message, { details: { error } });
}

/** Checks a right in a namespace; throws `Forbidden` without it. */
export function requireAccess(access: Access, right: Right, namespace: string): void {
  if (!isAllowed(access, right, namespace)) throw notAuthorized(access, right.verb, right.resource);
}
