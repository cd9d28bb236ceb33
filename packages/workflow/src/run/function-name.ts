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

/** How plugins find the commands that are for them; `_` stands for what is missing (wire facts 2.12). */
export function functionLabels(uses: string, apiGroup: string): Readonly<Record<string, string>> {
  const { prefix, category, version } = functionName(uses);
  return {
    [`${apiGroup}/category`]: category ?? '_',
    [`${apiGroup}/categoryPrefix`]: prefix ?? '_',
    [`${apiGroup}/categoryVersion`]: version ?? '_',
  };
}
