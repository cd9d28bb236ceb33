/** The tables of keys in docs/reference/language.md, made from the schema of workflows and the words that go with it. */
import type {
  ExampleValue,
  KeyReference,
  SchemaNode,
  SectionReference,
} from '@tutti/manifests/reference';
import { type SectionRow, sectionRows } from './section-rows.ts';

/** One row per key, in the order of the schema. */
export function keyTable(section: SectionReference, sections: readonly SectionReference[]): string {
  const rows = sectionRows(section, sections).flatMap((row) =>
    row.reference === null ? [] : [rowOf(row, row.reference, sections)],
  );
  return ['| Key | Type | Default | Meaning | Example |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}

/** The document with the table of each section between its marks: `<!-- keys: job -->` and `<!-- end -->`. */
export function withKeyTables(document: string, sections: readonly SectionReference[]): string {
  return document.replace(
    /(<!-- keys: (\S+) -->\n)[\s\S]*?(?=<!-- end -->)/g,
    (_, mark: string, name: string) => {
      const section = sections.find((each) => each.name === name);
      if (section === undefined) throw new Error(`There is no section "${name}".`);
      return `${mark}${keyTable(section, sections)}\n`;
    },
  );
}

function rowOf(row: SectionRow, reference: KeyReference, sections: readonly SectionReference[]) {
  const cells = [
    `\`${row.path}\``,
    reference.type ?? typeText(row.schema, sections),
    row.isRequired ? 'required' : defaultText(reference),
    reference.meaning,
    `\`${exampleText(reference.example)}\``,
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '&#124;')).join(' | ')} |`;
}

function defaultText({ default: value, otherwise }: KeyReference): string {
  if (otherwise !== undefined) return otherwise;
  return value === undefined ? '' : `\`${value}\``;
}

function typeText(
  schema: SchemaNode,
  sections: readonly SectionReference[],
  isPlural = false,
): string {
  const s = isPlural ? 's' : '';
  // A schema that contains itself appears as a reference with its name.
  const section = sections.find(
    (each) => each.schema === schema || schema.$ref === `#/definitions/${each.name}`,
  );
  if (section !== undefined) return `[${section.name}${s}](#${section.anchor})`;
  if (schema.title !== undefined && /^an? /.test(schema.title)) {
    return `${schema.title.replace(/^an? /, '')}${s}`;
  }
  if (schema.anyOf !== undefined) {
    return either(schema.anyOf.map((choice) => typeText(choice, sections, isPlural)));
  }
  const choices = schema.const === undefined ? schema.enum : [schema.const];
  if (choices !== undefined) return choices.map((choice) => `\`${choice}\``).join(', ');
  return (
    compoundText(schema, sections) ?? `${scalarText(schema)}${schema.type === 'boolean' ? '' : s}`
  );
}

/** Joins alternatives. One of them may be `true or false`; `or` stays before the last. */
function either(texts: readonly string[]): string {
  const all = texts.flatMap((text) => text.split(' or '));
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`;
}

function compoundText(schema: SchemaNode, sections: readonly SectionReference[]): string | null {
  if (schema.type === 'array') {
    return `list of ${typeText(schema.items ?? {}, sections, true)}`;
  }
  if (schema.type !== 'object') return null;
  const { additionalProperties: values } = schema;
  return typeof values === 'object' ? `map of ${typeText(values, sections, true)}` : 'map';
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  string: 'text',
};

function scalarText({ type = 'anything', minimum }: SchemaNode): string {
  const name = TYPE_NAMES[type] ?? type;
  return minimum === undefined ? name : `${name}, at least ${minimum}`;
}

/** As one would write it on a line of YAML. */
function exampleText(value: ExampleValue): string {
  if (typeof value === 'string') return isPlain(value) ? value : JSON.stringify(value);
  if (typeof value !== 'object') return String(value);
  if (isList(value)) return `[${value.map(exampleText).join(', ')}]`;
  const entries = Object.entries(value).map(([key, item]) => `${key}: ${exampleText(item)}`);
  return `{ ${entries.join(', ')} }`;
}

const isPlain = (text: string): boolean =>
  /^[a-zA-Z][\w ./@&;()-]*$/.test(text) && !/^(?:true|false|null|yes|no)$/i.test(text);

const isList = (value: ExampleValue): value is readonly ExampleValue[] => Array.isArray(value);
