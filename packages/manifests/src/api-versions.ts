/** Accepted values of `apiVersion` in documents from outside (specification 2.2, 2.4 and part 9; newer plugins: wire facts 2.2). */

/** The group of existing agents and plugins, and of a server whose configuration names none. */
export const DEFAULT_API_GROUP = 'opentestfactory.org';

const VERSIONS = {
  AgentRegistration: ['v1alpha1'],
  Subscription: ['v1alpha1', 'v1'],
  // All versions accept the additions of each version (wire facts 1.1, 1.13).
  Workflow: ['v1', 'v1beta1', 'v1alpha1'],
} as const;

/** Existing senders have the default group built in, so each server accepts it beside its own group. */
export function acceptedApiVersions(
  kind: keyof typeof VERSIONS,
  apiGroup: string = DEFAULT_API_GROUP,
): readonly string[] {
  const groups = [...new Set([apiGroup, DEFAULT_API_GROUP])];
  return groups.flatMap((group) => VERSIONS[kind].map((version) => `${group}/${version}`));
}

interface VersionedSchema {
  readonly properties: { readonly apiVersion: { readonly type: 'string' } };
}

/** The last variant of each schema. The same versions give the same object again, which is compiled already. */
const MADE = new WeakMap<
  VersionedSchema,
  { readonly versions: string; readonly schema: unknown }
>();

/** The schema with the values that `apiVersion` may have. The type of its documents stays the same. */
export function withApiVersions<const Schema extends VersionedSchema>(
  schema: Schema,
  versions: readonly string[],
): Schema {
  const key = versions.join(' ');
  const made = MADE.get(schema);
  // Made below, of this schema.
  if (made?.versions === key) return made.schema as Schema;
  const apiVersion = { ...schema.properties.apiVersion, enum: versions };
  const versioned = { ...schema, properties: { ...schema.properties, apiVersion } };
  MADE.set(schema, { versions: key, schema: versioned });
  return versioned;
}
