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
