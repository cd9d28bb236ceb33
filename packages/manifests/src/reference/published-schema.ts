/**
 * The schema of workflows for editors. It is JSON Schema draft 7, which all of them know, with the meanings of the keys. Parts that occur
 * several times are definitions. It is stricter than the schema of the server's checks: see `editorRules`.
 */
import { acceptedApiVersions, withApiVersions } from '../api-versions.ts';
import { variablesSchema, workflowManifestSchema } from '../workflow-manifest.ts';
import { editorRules } from './editor-rules.ts';
import { type ListedFunction, withFunctions } from './functions-schema.ts';
import type { KeyReference, SchemaNode, SectionReference } from './key-reference.ts';
import { workflowSections } from './workflow-sections.ts';

export const PUBLISHED_SCHEMA_ID = 'urn:tutti:workflow';
const WORKFLOW = 'workflow';

/** Further schemas that have a name and are used in several places. */
const SHARED: readonly (readonly [name: string, schema: SchemaNode])[] = [
  ['variables', variablesSchema],
];

/** `apiGroup` is the server's own group, if it has one. Editors complete the names and inputs of `functions`. */
export function publishedWorkflowSchema(
  apiGroup?: string,
  functions: readonly ListedFunction[] = [],
): Readonly<Record<string, unknown>> {
  const root = withApiVersions(workflowManifestSchema, acceptedApiVersions('Workflow', apiGroup));
  const sections = workflowSections.map((section) =>
    section.name === WORKFLOW ? { ...section, schema: root } : section,
  );
  const publisher = new Publisher(sections);
  const { $id: _, ...published } = publisher.section(WORKFLOW);
  const definitions = publisher.definitions();
  const { step } = definitions;
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: PUBLISHED_SCHEMA_ID,
    ...published,
    definitions: { ...definitions, step: withFunctions(step as Published, functions) },
  };
}

type Published = Readonly<Record<string, unknown>>;

class Publisher {
  readonly #sections: readonly SectionReference[];
  /** Names of the schemas that become definitions. */
  readonly #names: ReadonlyMap<SchemaNode, string>;

  constructor(sections: readonly SectionReference[]) {
    this.#sections = sections;
    this.#names = new Map([
      ...sections
        .filter(({ name }) => name !== WORKFLOW)
        .map(({ name, schema }) => [schema, name] as const),
      ...SHARED.map(([name, schema]) => [schema, name] as const),
    ]);
  }

  definitions(): Published {
    const entries = [...this.#names].map(([schema, name]) => {
      const isSection = this.#sections.some((section) => section.name === name);
      return [name, isSection ? this.section(name) : this.#plain(schema)] as const;
    });
    return Object.fromEntries(entries.toSorted(([left], [right]) => (left < right ? -1 : 1)));
  }

  section(name: string): Published {
    const section = this.#sections.find((each) => each.name === name);
    if (section === undefined) throw new Error(`There is no section "${name}".`);
    const rules = editorRules[name];
    const described = this.#described(section.schema, section, '');
    return rules === undefined ? described : { ...described, allOf: rules };
  }

  /** A map whose keys the section describes. */
  #described(schema: SchemaNode, section: SectionReference, prefix: string): Published {
    const properties = Object.entries(schema.properties ?? {}).map(([key, child]) => {
      const path = `${prefix}${key}`;
      const reference = Object.hasOwn(section.keys, path) ? section.keys[path] : undefined;
      const isWithin = child.properties !== undefined && !this.#names.has(child);
      const published = isWithin
        ? withMeaning(this.#described(child, section, `${path}.`), section.maps?.[path])
        : this.#published(child);
      return [key, reference === undefined ? published : withWords(published, reference)] as const;
    });
    const { properties: _, ...rest } = this.#plain(schema);
    return { ...rest, properties: Object.fromEntries(properties) };
  }

  /** A reference is put into `allOf`, since draft 7 ignores the keywords beside a reference. */
  #published(schema: SchemaNode): Published {
    const name = this.#names.get(schema);
    return name === undefined
      ? this.#plain(schema)
      : { allOf: [{ $ref: `#/definitions/${name}` }] };
  }

  #plain(schema: SchemaNode): Published {
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => [
        keyword,
        // Editors mark the keys of which the server only warns.
        keyword === 'additionalProperties' && value === true ? false : this.#keyword(value),
      ]),
    );
  }

  #keyword(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#keyword(item));
    if (!isNode(value)) return value;
    const name = this.#names.get(value);
    return name === undefined ? this.#plain(value) : { $ref: `#/definitions/${name}` };
  }
}

function withWords(schema: Published, reference: KeyReference): Published {
  return {
    ...schema,
    description: plainText(reference.meaning),
    ...(reference.default === undefined ? {} : { default: reference.default }),
    examples: [reference.example],
  };
}

const withMeaning = (schema: Published, meaning: string | undefined): Published =>
  meaning === undefined ? schema : { ...schema, description: plainText(meaning) };

/** Links are for the page; editors show plain text. */
const plainText = (markdown: string): string => markdown.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1');

const isNode = (value: unknown): value is SchemaNode => typeof value === 'object' && value !== null;
