/** Descriptions of the keys of the workflow language, for editors and for the tables of docs/reference/language.md. */

export type ExampleValue =
  | string
  | number
  | boolean
  | readonly ExampleValue[]
  | { readonly [key: string]: ExampleValue };

export interface KeyReference {
  /** One or a few sentences; code stands in backquotes. */
  readonly meaning: string;
  /** A value of the key. */
  readonly example: ExampleValue;
  /** The value that an absent key stands for. */
  readonly default?: string | number | boolean;
  /** The meaning of an absent key, where it equals no value. */
  readonly otherwise?: string;
  /** The type in words, where the schema alone says too little. */
  readonly type?: string;
}

/** Descriptions by key; dots join the keys of inner maps: `metadata.name`. */
export type KeyReferences = Readonly<Record<string, KeyReference>>;

/** The part of a JSON Schema that descriptions follow. */
export interface SchemaNode {
  readonly [keyword: string]: unknown;
  readonly title?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | SchemaNode;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
}

/** A map with a table of its own: authors write its keys. */
export interface SectionReference {
  /** The name in the singular, for the types in tables. */
  readonly name: string;
  /** Anchor of the heading in docs/reference/language.md. */
  readonly anchor: string;
  readonly schema: SchemaNode;
  readonly keys: KeyReferences;
  /** Descriptions of inner maps for editors, by key: `defaults.run`. Their keys have tables of their own. */
  readonly maps?: Readonly<Record<string, string>>;
}
