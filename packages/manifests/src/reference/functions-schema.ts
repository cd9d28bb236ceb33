/** Lets editors complete the names of functions in `uses`, and their inputs in `with`. Other names and inputs stay allowed. */
import type { InputDeclaration, InputDeclarations } from '../inputs.ts';

export interface ListedFunction {
  readonly name: string;
  readonly description: string | null;
  /** Null if only the plugin of the function knows them. */
  readonly inputs: InputDeclarations | null;
}

type Schema = Readonly<Record<string, unknown>>;

interface StepSchema extends Schema {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly allOf: readonly Schema[];
}

export function withFunctions(schema: Schema, functions: readonly ListedFunction[]): Schema {
  if (functions.length === 0) return schema;
  // The reference describes steps as a map with rules.
  const step = schema as StepSchema;
  const called = functions.filter(({ name }) => !name.endsWith('/*'));
  const names = called.map(({ name }) => name);
  const uses = { ...step.properties.uses, anyOf: [{ enum: names }, {}] };
  return {
    ...step,
    properties: { ...step.properties, uses },
    allOf: [...step.allOf, ...called.map(inputsRule)],
  };
}

function inputsRule({ name, description, inputs }: ListedFunction): Schema {
  const known = Object.entries(inputs ?? {}).filter(([input]) => !input.startsWith('{'));
  const properties = Object.fromEntries(
    known.map(([input, declaration]) => [input, inputSchema(declaration)]),
  );
  return {
    if: { required: ['uses'], properties: { uses: { const: name } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { properties: { with: { description: description ?? '', properties } } },
  };
}

/** Any value: the run evaluates expressions, and converts texts. */
function inputSchema({ description, default: fallback, options, type }: InputDeclaration): Schema {
  const examples = type === 'boolean' ? [true, false] : options;
  return {
    description,
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(examples === undefined ? {} : { examples }),
  };
}
