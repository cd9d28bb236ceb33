/** Words for the descriptions of operations: schemas, examples, and parts of answers. Loaded when somebody asks for the description. */
import type { FailureReason, SuccessReason } from '@tutti/manifests';
import { EXAMPLES, IDS } from './openapi-examples.ts';

export { EXAMPLES, IDS };

/** A JSON Schema 2020-12, whose references lead into the description. */
export type Schema = Readonly<Record<string, unknown>>;
type Schemas = Readonly<Record<string, Schema>>;

export interface MediaType {
  readonly schema: Schema;
  readonly example?: unknown;
}

export type Content = Readonly<Record<string, MediaType>>;

interface Parts {
  readonly headers?: Readonly<Record<string, { description: string; schema: Schema }>>;
  readonly content?: Content;
  /** Operations that can follow the answer, by name, with the places of their parameters. */
  readonly links?: Readonly<Record<string, object>>;
}

/** A Status manifest with this message. Its `details` are null where no schema is given. */
export interface StatusAnswer extends Parts {
  readonly message: string;
  readonly schema?: Schema;
  readonly example?: object | null;
}

export interface OtherAnswer extends Parts {
  readonly description: string;
}

/** A route's description of its operation, beside its parameters. */
export interface Operation {
  readonly id: string;
  readonly description?: string;
  /** Parameters of the query that have to be there. */
  readonly required?: readonly string[];
  /** Headers of the request, each with what it says. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Content;
  readonly answers: Partial<Record<SuccessReason, StatusAnswer | OtherAnswer>>;
  /** Beside those that follow from the route: `failuresOf` has them. */
  readonly failures?: readonly FailureReason[];
  /** Ids of the same operation with other methods of the route, and with HEAD, where that is worth calling. */
  readonly idOf?: Readonly<Record<string, string>>;
}

export const text = { type: 'string' } as const;
export const texts = { type: 'array', items: text } as const;
export const count = { type: 'integer', minimum: 0 } as const;
export const anything = { type: 'object' } as const;
export const BYTES = { type: 'string', format: 'binary' } as const;
export const uuid = {
  type: 'string',
  format: 'uuid',
  pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
} as const;

export const oneOf = (...values: readonly string[]): Schema => ({ type: 'string', enum: values });
export const only = (value: string): Schema => ({ type: 'string', const: value });
export const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });
export const refTo = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
export const listOf = (items: Schema): Schema => ({ type: 'array', items });
export const mapOf = (values: Schema): Schema => ({ type: 'object', additionalProperties: values });

/** An object with at least these properties. One whose name ends with `?` may be missing. */
export function record(properties: Schemas): Schema {
  const isOptional = ([name]: readonly [string, Schema]) => name.endsWith('?');
  const required = Object.entries(properties).filter((each) => !isOptional(each));
  const optional = Object.entries(properties).filter(isOptional);
  const named = optional.map(([name, schema]) => [name.slice(0, -1), schema]);
  return {
    type: 'object',
    properties: Object.fromEntries([...required, ...named]),
    required: required.map(([name]) => name),
  };
}

/** `details` that are a list with a status. */
export const listWithStatus = (items: Schema, ...statuses: readonly string[]): Schema =>
  record({ items: listOf(items), status: oneOf(...statuses) });

/** Answers of an operation whose Status manifest has a list: `details.items`. */
export const listing = (
  message: string,
  items: Schema,
  example: unknown,
): Operation['answers'] => ({
  OK: { message, schema: record({ items }), example: { items: example } },
});

export const JSON_TYPE = 'application/json';
export const json = (schema: Schema, example: unknown): Content => ({
  [JSON_TYPE]: { schema, example },
});

/** A definition as the body, or as one part of a form. */
export function definitionBody(part: string, schema: Schema, example: object, yaml: string) {
  const file = { ...BYTES, description: 'The definition, JSON or YAML.' };
  return {
    ...json(schema, example),
    'application/x-yaml': { schema, example },
    'multipart/form-data': { schema: record({ [part]: file }), example: { [part]: yaml } },
  };
}

/** Links to operations that take a field of `details` as a parameter. */
export function linksTo(
  operations: Readonly<Record<string, string>>,
  parameter: string,
  field: string,
): Readonly<Record<string, object>> {
  const parameters = { [parameter]: `$response.body#/details/${field}` };
  const links = Object.entries(operations).map(([name, operationId]) => [
    name,
    { operationId, parameters },
  ]);
  return Object.fromEntries(links);
}

export const EVENT_STREAM: Content = { 'text/event-stream': { schema: text } };

/** Headers of answers that are pages. */
export const PAGE_LINKS = {
  Link: {
    description:
      'The relations first, prev, next and last (RFC 8288), if there is more than one page.',
    schema: text,
  },
} as const;

export const RANGE = {
  Range: 'One range of bytes (RFC 9110, 14.2); other forms are ignored.',
} as const;

/** Content of any size, whole or a part of it. */
export function rangeAnswers(content: Content): Operation['answers'] {
  const range = { description: 'Which bytes, and of how many.', schema: text };
  return {
    OK: { description: 'All of it.', content },
    PartialContent: {
      description: 'The range that was asked for.',
      headers: { 'Content-Range': range },
      content,
    },
  };
}
