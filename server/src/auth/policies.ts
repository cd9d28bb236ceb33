/**
 * Reads the rights of the users of the token file. Each line is a JSON document that allows a user or a group something (wire facts 8.3).
 * Everything else is refused.
 */
import { NAMESPACE_NAME } from '@tutti/manifests';
import { didYouMean } from '@tutti/manifests/documents';
import { type Access, RESOURCES, type Resource, type Verb } from './access.ts';
import { accessLines } from './access-lines.ts';
import { refuseProblems } from './file-problem.ts';
import type { StaticUser } from './static-tokens.ts';
import type { NamespaceSet } from './token-claims.ts';

export interface Policy {
  /** Exactly one of the two. */
  readonly user?: string;
  readonly group?: string;
  /** `*` is every namespace. */
  readonly namespace: string;
  readonly resource: Resource | '*';
  /** Allows only requests that change nothing. */
  readonly readonly?: boolean;
}

const READING: readonly Verb[] = ['get', 'list'];

/** The access of a user: the namespaces of all policies that fit. */
export function accessByPolicies(user: StaticUser, policies: readonly Policy[]): Access {
  const own = policies.filter(
    (policy) => policy.user === user.uid || user.groups.has(policy.group ?? ''),
  );
  const known = new Map<string, NamespaceSet>();
  return {
    subject: user.uid,
    keyId: `user:${user.name}`,
    namespaces: (resource, verb) => {
      const key = `${resource} ${verb}`;
      const namespaces = known.get(key) ?? namespacesOf(own, resource, verb);
      known.set(key, namespaces);
      return namespaces;
    },
  };
}

function namespacesOf(policies: readonly Policy[], resource: Resource, verb: Verb): NamespaceSet {
  const names = policies
    .filter((policy) => policy.resource === '*' || policy.resource === resource)
    .filter((policy) => policy.readonly !== true || READING.includes(verb))
    .map(({ namespace }) => namespace);
  return names.includes('*') ? '*' : new Set(names);
}

/** Parses a file of policies. Throws `Invalid`, with the file and each wrong line. */
export function parsePolicyFile(
  content: string,
  file: string,
  apiGroup: string,
): readonly Policy[] {
  const policies: Policy[] = [];
  const problems: string[] = [];
  for (const { line, text } of accessLines(content)) {
    const why = problemOfPolicy(text, apiGroup);
    if (why !== null) problems.push(`line ${line}: ${why}`);
    // All its entries were looked at.
    else policies.push(objectIn(text)?.spec as Policy);
  }
  refuseProblems('policy file', file, problems);
  return policies;
}

/** The mistake in a line of a policy file; null when there is none. */
export function problemOfPolicy(text: string, apiGroup: string): string | null {
  const document = objectIn(text);
  return document === null
    ? 'not a JSON object, of which each has one line'
    : problemOf(document, apiGroup);
}

type Entries = Readonly<Record<string, unknown>>;

function objectIn(text: string): Entries | null {
  try {
    return entriesOf(JSON.parse(text));
  } catch {
    return null;
  }
}

const entriesOf = (value: unknown): Entries | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;

const DOCUMENT_KEYS = ['apiVersion', 'kind', 'spec', 'metadata'];
const SPEC_KEYS = ['user', 'group', 'apiGroup', 'namespace', 'resource', 'readonly'];

function problemOf(document: Entries, apiGroup: string): string | null {
  const apiVersion = `abac.${apiGroup}/v1alpha1`;
  const spec = entriesOf(document.spec);
  // First, since a missing key may be there under a misspelt name.
  const unknown = unknownKey(document, DOCUMENT_KEYS);
  if (unknown !== null) return unknown;
  if (document.apiVersion !== apiVersion) return `"apiVersion" must be ${apiVersion}`;
  if (document.kind !== 'Policy') return '"kind" must be Policy';
  if (spec === null) return '"spec" must be an object';
  return unknownKey(spec, SPEC_KEYS) ?? subjectProblem(spec) ?? objectProblem(spec);
}

/** A key that is not understood may be a restriction. */
function unknownKey(entries: Entries, known: readonly string[]): string | null {
  const key = Object.keys(entries).find((name) => !known.includes(name));
  return key === undefined ? null : `unknown key "${key}"${didYouMean(key, known)}`;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

function subjectProblem({ user, group }: Entries): string | null {
  if ((user === undefined) === (group === undefined)) {
    return '"spec" must have either "user" (a uid of the token file) or "group"';
  }
  return isText(user ?? group) ? null : '"user" or "group" must be a text';
}

const NAMESPACE = new RegExp(NAMESPACE_NAME);
const isNamespace = (value: unknown): boolean =>
  value === '*' || (typeof value === 'string' && NAMESPACE.test(value));
const isResource = (value: unknown): boolean =>
  value === '*' || RESOURCES.some((resource) => resource === value);

function objectProblem({ namespace, resource, readonly }: Entries): string | null {
  if (!isNamespace(namespace)) return '"namespace" must be * or the name of one';
  if (!isResource(resource)) return `"resource" must be * or one of ${RESOURCES.join(', ')}`;
  return readonly === undefined || typeof readonly === 'boolean'
    ? null
    : '"readonly" must be true or false';
}
