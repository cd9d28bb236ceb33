/** Names of provider functions, `[prefix/]category[@version]`, and how the function for a name is found (wire facts 2.15). */

export interface FunctionName {
  readonly prefix: string | null;
  readonly category: string;
  readonly version: string | null;
}

const NAME = /^(?:([^/@]+)\/)?([^/@]+)(?:@(.+))?$/;

/** Null when the text is no name of a function. */
export function parseFunctionName(uses: string): FunctionName | null {
  const [, prefix = null, category, version = null] = NAME.exec(uses) ?? [];
  return category === undefined ? null : { prefix, category, version };
}

export function formatFunctionName({ prefix, category, version }: FunctionName): string {
  return `${prefix === null ? '' : `${prefix}/`}${category}${version === null ? '' : `@${version}`}`;
}

/**
 * The function that answers a name. A function with the same prefix wins over one without a prefix. A function with the same version,
 * shortened part by part (`v1.2.3`, `v1.2`, `v1`), wins over one without a version. Null when there is no such function.
 */
export function findFunction<Named extends FunctionName>(
  functions: readonly Named[],
  wanted: FunctionName,
): Named | null {
  const byName = new Map(functions.map((named) => [formatFunctionName(named), named]));
  for (const name of lookupOrder(wanted)) {
    const found = byName.get(name);
    if (found !== undefined) return found;
  }
  return null;
}

function lookupOrder({ prefix, category, version }: FunctionName): readonly string[] {
  const prefixes = prefix === null ? [null] : [prefix, null];
  const versions = [...shortened(version), null];
  return prefixes.flatMap((tried) =>
    versions.map((of) => formatFunctionName({ prefix: tried, category, version: of })),
  );
}

function shortened(version: string | null): readonly string[] {
  if (version === null) return [];
  const parts = version.split('.');
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('.'));
}
