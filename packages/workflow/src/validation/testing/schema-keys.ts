/** The keys that a schema of workflows gives meaning to, and where a document has them. */
import { jobSchema } from '@tutti/manifests';
import type { DocumentPath } from '@tutti/manifests/documents';

interface SchemaNode {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | SchemaNode;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
}

export interface SchemaKey {
  /** Path of the map that has the key. */
  readonly path: DocumentPath;
  readonly key: string;
  /** The keys that may be there, the key itself included. */
  readonly known: readonly string[];
  /** By itself, or as the only one there is of several of which there must be one. */
  readonly isRequired: boolean;
  /** True where other keys are the author's; false also where each causes a warning. */
  readonly isOpen: boolean;
  /** False for a key that may have any value. */
  readonly isTyped: boolean;
}

type Entries = Readonly<Record<string, unknown>>;

const isMap = (value: unknown): value is Entries =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const targetOf = (schema: SchemaNode): SchemaNode =>
  schema.$ref === undefined ? schema : jobSchema;

const formsOf = ({ anyOf = [], oneOf = [] }: SchemaNode): readonly SchemaNode[] => [
  ...anyOf,
  ...oneOf,
];

/** All keys of the document that the schema knows. */
export function keysOf(
  schema: SchemaNode,
  value: unknown,
  path: DocumentPath = [],
): readonly SchemaKey[] {
  const { items, properties = {}, additionalProperties: others, ...node } = targetOf(schema);
  if (Array.isArray(value)) {
    const ofItems = value.flatMap((item, index) => keysOf(items ?? {}, item, [...path, index]));
    return [...ofItems, ...formsOf(node).flatMap((form) => keysOf(form, value, path))];
  }
  if (!isMap(value)) return [];
  const ofForms = formsOf(node).flatMap((form) => form.required ?? []);
  const isAlone = ofForms.filter((key) => Object.hasOwn(value, key)).length === 1;
  const required = [...(node.required ?? []), ...(isAlone ? ofForms : [])];
  const own = Object.entries(value).flatMap(([key, child]): readonly SchemaKey[] => {
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const inside = known ?? (typeof others === 'object' ? others : {});
    const below = keysOf(inside, child, [...path, key]);
    if (known === undefined) return below;
    const at = {
      path,
      key,
      known: Object.keys(properties),
      isRequired: required.includes(key),
      isOpen: typeof others !== 'boolean',
      isTyped: Object.keys(known).length > 0,
    };
    return [at, ...below];
  });
  const inForms = formsOf(node).flatMap((form) => keysOf(form, value, path));
  return [...own, ...inForms];
}

/** Names a key together with the keys that its map may have. */
export const nameOf = ({ key, known }: Pick<SchemaKey, 'key' | 'known'>): string =>
  `${key} of ${known.join(' ')}`;

/** The names of all keys of a schema. */
export function namesOf(schema: SchemaNode): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set<SchemaNode>();
  const visit = (node: SchemaNode): void => {
    const target = targetOf(node);
    if (seen.has(target)) return;
    seen.add(target);
    const { properties = {}, items, additionalProperties: others } = target;
    const known = Object.keys(properties);
    for (const key of known) names.add(nameOf({ key, known }));
    for (const child of [...Object.values(properties), ...formsOf(target)]) visit(child);
    if (items !== undefined) visit(items);
    if (typeof others === 'object') visit(others);
  };
  visit(schema);
  return names;
}
