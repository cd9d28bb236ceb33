/** Building blocks for the schema of the configuration, and the type of the values that it describes. */
import type { ConfigNode } from './config-check.ts';

type Nodes = Readonly<Record<string, ConfigNode>>;

/** A section, which may be left out: each of its keys has a default, or may be absent. */
export const section = <const P extends Nodes>(properties: P) =>
  ({ type: 'object', properties, additionalProperties: false }) as const;

/** A list of objects, each with at least the required keys. */
export const entries = <const P extends Nodes, const R extends readonly (keyof P & string)[]>(
  properties: P,
  required: R,
  description: string,
) => listOf({ ...section(properties), required }, description);

export const listOf = <const I extends ConfigNode>(items: I, description: string) =>
  ({ type: 'array', items, default: [], description }) as const;

export const flag = (description: string) =>
  ({ type: 'boolean', default: false, description }) as const;

export const text = <const R extends Partial<ConfigNode>>(rest: R) =>
  ({ type: 'string', minLength: 1, ...rest }) as const;

export const like = <const R extends Partial<ConfigNode>>(
  pattern: string,
  examples: readonly string[],
  rest: R,
) => ({ type: 'string', pattern, examples, ...rest }) as const;

export const integer = (minimum: number, value: number, description: string) =>
  ({ type: 'integer', minimum, default: value, description }) as const;

/** A number above 0. */
export const positive = (value: number, description: string) =>
  ({ type: 'number', exclusiveMinimum: 0, default: value, description }) as const;

/** A number from 0 on. */
export const duration = (value: number, description: string) =>
  ({ type: 'number', minimum: 0, default: value, description }) as const;

/** Keys that are there once the configuration is read. */
type Given<P, R> = {
  [K in keyof P]: P[K] extends { readonly default: unknown } | { readonly type: 'object' }
    ? K
    : K extends R
      ? K
      : never;
}[keyof P];

type ObjectOf<P, R> = { readonly [K in Given<P, R>]: ValueOf<P[K]> } & {
  readonly [K in Exclude<keyof P, Given<P, R>>]?: ValueOf<P[K]>;
};

/** The type of a node's value, with its defaults. */
export type ValueOf<N> = N extends { readonly type: 'object'; readonly properties: infer P }
  ? ObjectOf<P, N extends { readonly required: readonly (infer R)[] } ? R : never>
  : N extends { readonly items: infer I }
    ? readonly ValueOf<I>[]
    : N extends { readonly enum: readonly (infer E)[] }
      ? E
      : N extends { readonly type: 'string' }
        ? string
        : N extends { readonly type: 'boolean' }
          ? boolean
          : number;
