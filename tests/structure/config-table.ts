/** The table of all configuration keys, as docs/reference/settings.md shows it. */
interface ConfigNode {
  readonly type?: unknown;
  readonly description?: unknown;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly properties?: Readonly<Record<string, ConfigNode>>;
}

/** One row per key, in the order of the schema; lists are written as JSON in a variable. */
export function configTable(schema: ConfigNode): string {
  const rows = keysOf(schema, []).map(({ path, node }) => {
    const cells = [
      `\`${path.join('.')}\``,
      `\`${variableOf(path)}\``,
      typeOf(node),
      node.default === undefined ? 'none' : `\`${JSON.stringify(node.default)}\``,
      String(node.description),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return ['| Key | Variable | Type | Default | Meaning |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}

function keysOf(
  node: ConfigNode,
  path: readonly string[],
): readonly { readonly path: readonly string[]; readonly node: ConfigNode }[] {
  if (node.type !== 'object') return [{ path, node }];
  return Object.entries(node.properties ?? {}).flatMap(([key, child]) =>
    keysOf(child, [...path, key]),
  );
}

function variableOf(path: readonly string[]): string {
  const words = path.map((key) => key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase());
  return `TUTTI_${words.join('_')}`;
}

function typeOf(node: ConfigNode): string {
  if (node.enum !== undefined) return node.enum.map((value) => `\`${value}\``).join(', ');
  const { minimum, maximum, exclusiveMinimum } = node;
  if (exclusiveMinimum !== undefined) return `${node.type} above ${exclusiveMinimum}`;
  if (maximum !== undefined) return `${node.type}, ${minimum ?? 0} to ${maximum}`;
  return minimum === undefined ? String(node.type) : `${node.type}, at least ${minimum}`;
}
