/** How keys of the workflow language are described: what editors show, and the tables of docs/reference/language.md. */

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
  /** What an absent key means, where no value says it. */
  readonly otherwise?: string;
  /** The type in words, where those that follow from the schema would not tell enough. */
  readonly type?: string;
}

/** By key; the keys of maps within are joined by dots: `metadata.name`. */
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

/** What has a table of its own: a map whose keys authors write. */
export interface SectionReference {
  /** In the singular, as types name it. */
  readonly name: string;
  /** Of the heading in docs/reference/language.md. */
  readonly anchor: string;
  readonly schema: SchemaNode;
  readonly keys: KeyReferences;
  /** What the maps within are, for editors: by key, `defaults.run`. Their tables are those of the keys in them. */
  readonly maps?: Readonly<Record<string, string>>;
}
