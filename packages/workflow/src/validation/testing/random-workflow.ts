// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Random workflows, made from the schema itself, so that they have every key. Most of them are wrong. */
import { jobSchema, workflowManifestSchema } from '@tutti/manifests';
import fc, { type Arbitrary } from 'fast-check';

interface SchemaNode {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly title?: string;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | SchemaNode;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
}

/** Jobs in jobs have an end. */
const DEPTH_MAX = 8;
const NAMES = ['a', 'b', 'c'];
const EXPRESSIONS = [
  '${{ variables.a }}',
  '${{ inputs.a }}',
  "${{ 'linux' }}",
  '${{ 3 }}',
  '${{ true }}',
  '${{ fromJSON(variables.b) }}',
];
const TEXTS = [
  'text',
  'always()',
  'failure() || cancelled()',
  "opentf.workflow == 'x'",
  'a ${{ variables.a }} b',
  ...EXPRESSIONS,
  '${{ needs.a.result }}',
  '${{ steps.a.outputs.b }}',
  '${{ matrix.a }}',
  '${{ secrets.a }}',
  '${{ nothing.x }}',
  '${{ a b }}',
  '',
];

function valuesOf(schema: SchemaNode, depth: number): Arbitrary<unknown> {
  if (schema.$ref !== undefined) return jobOf(depth);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined && schema.type === undefined) {
    return fc.oneof(...schema.anyOf.map((choice) => valuesOf(choice, depth)));
  }
  switch (schema.type) {
    case 'string':
      return textOf(schema);
    case 'number':
      return fc.constantFrom(0.5, 1, 60);
    case 'integer':
      return fc.constantFrom(1, 2);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}, depth + 1), { minLength: 1, maxLength: 3 });
    case 'object':
      return mapOf(schema, depth);
    default:
      return fc.constantFrom(1, 'x', [], {});
  }
}

function jobOf(depth: number): Arbitrary<unknown> {
  const least = fc.constant({ steps: [{ run: 'echo' }] });
  return depth > DEPTH_MAX ? least : fc.oneof(least, mapOf(jobSchema, depth));
}

function textOf({ title, pattern }: SchemaNode): Arbitrary<unknown> {
  if (title === 'an expression') return fc.constantFrom(...EXPRESSIONS);
  return pattern === undefined ? fc.constantFrom(...TEXTS) : fc.constantFrom(...NAMES);
}

function mapOf(schema: SchemaNode, depth: number): Arbitrary<unknown> {
  const { properties = {}, required = [], oneOf = [], anyOf = [] } = schema;
  const forms: (readonly string[])[] = [...oneOf, ...anyOf].map((form) => form.required ?? []);
  const ofForms = new Set(forms.flat());
  const fixed = Object.entries(properties).filter(([key]) => !ofForms.has(key));
  const record = (keys: readonly string[]) =>
    fc.record<Record<string, unknown>>(
      Object.fromEntries([
        ...fixed.map(([key, child]) => [key, valuesOf(child, depth + 1)]),
        ...keys.map((key) => [key, valuesOf(properties[key] ?? {}, depth + 1)]),
      ]),
      { requiredKeys: [...required.filter((key) => !ofForms.has(key)), ...keys] },
    );
  const maps = forms.length === 0 ? record([]) : fc.oneof(...forms.map(record));
  const others = schema.additionalProperties;
  if (typeof others !== 'object') return maps;
  const named = fc.dictionary(fc.constantFrom(...NAMES), valuesOf(others, depth + 1), {
    minKeys: 1,
    maxKeys: 3,
  });
  return fc.tuple(maps, named).map(([known, more]) => ({ ...known, ...more }));
}

/** A JSON value that a document may have. */
export const randomWorkflow: Arbitrary<unknown> = valuesOf(workflowManifestSchema, 0);
