/**
 * Reads the access that the claims of a verified token allow. A token reaches the namespaces of the key it was signed with. The private
 * claim `tutti` may restrict it further: `{"namespaces": [..], "resources": [..], "verbs": [..]}`, each optional. Existing tokens carry no
 * more than `iss` and `sub`.
 */
import { NAMESPACE_NAME } from '@tutti/manifests';
import { type Access, RESOURCES, type Resource, VERBS, type Verb } from './access.ts';

/** `*` or names. */
export type NamespaceSet = ReadonlySet<string> | '*';

/** Restrictions of a token; absent means none. */
export interface TokenScope {
  readonly namespaces?: readonly string[];
  readonly resources?: readonly Resource[];
  readonly verbs?: readonly Verb[];
}

export const SCOPE_CLAIM = 'tutti';

const NAMESPACE = new RegExp(NAMESPACE_NAME);
const NONE: ReadonlySet<string> = new Set();

/** `a,b` or `*`, blanks ignored. */
export function parseNamespaces(text: string): NamespaceSet {
  const names = text.split(',').map((name) => name.trim());
  return names.includes('*') ? '*' : new Set(names.filter((name) => name !== ''));
}

/** The access of a token, or null if its restrictions cannot be read. An unreadable restriction must never count as none. */
export function accessOf(
  claims: Readonly<Record<string, unknown>>,
  keyNamespaces: NamespaceSet,
  keyId: string,
): Access | null {
  const scope = readScope(claims[SCOPE_CLAIM]);
  if (scope === null) return null;
  const namespaces = intersect(keyNamespaces, scope.namespaces);
  const resources = scope.resources && new Set(scope.resources);
  const verbs = scope.verbs && new Set(scope.verbs);
  return {
    subject: typeof claims.sub === 'string' ? claims.sub : 'unknown',
    keyId,
    namespaces: (resource, verb) =>
      (resources?.has(resource) ?? true) && (verbs?.has(verb) ?? true) ? namespaces : NONE,
  };
}

/** Null when it is not well-formed. */
export function readScope(claim: unknown): TokenScope | null {
  if (claim === undefined) return {};
  if (typeof claim !== 'object' || claim === null) return null;
  const { namespaces, resources, verbs, ...others }: Readonly<Record<string, unknown>> = {
    ...claim,
  };
  const fits =
    Object.keys(others).length === 0 &&
    isListOf(namespaces, (name) => name === '*' || NAMESPACE.test(name)) &&
    isListOf(resources, (name) => RESOURCES.some((resource) => resource === name)) &&
    isListOf(verbs, (name) => VERBS.some((verb) => verb === name));
  // Each list was checked for its values.
  return fits ? (claim as TokenScope) : null;
}

function isListOf(list: unknown, isValid: (item: string) => boolean): boolean {
  if (list === undefined) return true;
  return Array.isArray(list) && list.every((item) => typeof item === 'string' && isValid(item));
}

function intersect(key: NamespaceSet, scope: readonly string[] | undefined): NamespaceSet {
  if (scope === undefined || scope.includes('*')) return key;
  return new Set(key === '*' ? scope : scope.filter((name) => key.has(name)));
}
