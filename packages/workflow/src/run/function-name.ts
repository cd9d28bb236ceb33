/** The name of a function as a step writes it: `prefix/category@version` (wire facts 2.12). */

export interface FunctionName {
  readonly prefix: string | null;
  readonly category: string | null;
  readonly version: string | null;
}

export function functionName(uses: string): FunctionName {
  const [, prefix, category, version] = /^(?:([^/@]+)\/)?([^@]+)(?:@(.+))?$/.exec(uses) ?? [];
  return { prefix: prefix ?? null, category: category ?? null, version: version ?? null };
}

/** The `uses` text of the function with these labels; null where they name none. */
export function functionOfLabels(
  labels: Readonly<Record<string, string>>,
  apiGroup: string,
): string | null {
  const [category, prefix, version] = ['category', 'categoryPrefix', 'categoryVersion'].map(
    (name) => labels[`${apiGroup}/${name}`] ?? '_',
  );
  if (category === undefined || category === '_') return null;
  return `${prefix === '_' ? '' : `${prefix}/`}${category}${version === '_' ? '' : `@${version}`}`;
}

/** Labels by which plugins find their commands; `_` stands for a missing part (wire facts 2.12). */
export function functionLabels(uses: string, apiGroup: string): Readonly<Record<string, string>> {
  const { prefix, category, version } = functionName(uses);
  return {
    [`${apiGroup}/category`]: category ?? '_',
    [`${apiGroup}/categoryPrefix`]: prefix ?? '_',
    [`${apiGroup}/categoryVersion`]: version ?? '_',
  };
}
