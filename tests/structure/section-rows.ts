/** The keys of a section as its schema has them, in its order, with the words that describe them. */
import type { KeyReference, SchemaNode, SectionReference } from '@tutti/manifests/reference';

export interface SectionRow {
  /** `metadata.name` for a key of a map within. */
  readonly path: string;
  readonly schema: SchemaNode;
  /** Every section must have it, also those without the map that it is in. */
  readonly isRequired: boolean;
  /** Null when nobody described the key. */
  readonly reference: KeyReference | null;
}

export function sectionRows(
  section: SectionReference,
  sections: readonly SectionReference[],
): readonly SectionRow[] {
  const isSection = (schema: SchemaNode) => sections.some((other) => other.schema === schema);
  const rowsOf = (
    parent: SchemaNode,
    prefix: string,
    isParentRequired: boolean,
  ): readonly SectionRow[] =>
    Object.entries(parent.properties ?? {}).flatMap(([key, schema]) => {
      const path = `${prefix}${key}`;
      const isRequired = isParentRequired && parent.required?.includes(key) === true;
      if (schema.properties !== undefined && !isSection(schema)) {
        return rowsOf(schema, `${path}.`, isRequired);
      }
      const reference = Object.hasOwn(section.keys, path) ? section.keys[path] : undefined;
      return [{ path, schema, isRequired, reference: reference ?? null }];
    });
  return rowsOf(section.schema, '', true);
}
