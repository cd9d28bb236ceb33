/** Finds the imports of a source file without a compiler: our sources are formatted, so imports have few forms. */
import { posix } from 'node:path';
import { blankText } from './blank-text.ts';

export interface Import {
  readonly specifier: string;
  /** False for what is gone when types are stripped. */
  readonly isRuntime: boolean;
}

const STATIC =
  /^[ \t]*(?:import|export)\s+(?<type>type\s+)?(?<names>[\w$*{][^;'"]*?\sfrom\s+)?['"](?<name>[^'"]+)['"]/gm;
const DYNAMIC = /(?<typeof>typeof\s+)?\bimport\(\s*['"](?<name>[^'"]+)['"]/g;
const ONLY_TYPES = /^\{\s*(?:type\s[^,}]+,?\s*)+\}\s*from\s+$/;

export function importsOf(source: string): readonly Import[] {
  const code = blankText(source, { keepStrings: true });
  return [...matches(code, STATIC), ...matches(code, DYNAMIC)];
}

function matches(code: string, pattern: RegExp): readonly Import[] {
  return [...code.matchAll(pattern)].map(({ groups = {} }) => ({
    specifier: groups.name ?? '',
    isRuntime:
      groups.type === undefined &&
      groups.typeof === undefined &&
      !ONLY_TYPES.test(groups.names ?? ''),
  }));
}

/** The path of an import in the repository: our packages by their folder; null for what is not ours. */
export function resolveImport(importer: string, specifier: string): string | null {
  if (specifier.startsWith('.')) {
    return posix.join(posix.dirname(importer), specifier);
  }
  const [, name] = /^@tutti\/([^/]+)/.exec(specifier) ?? [];
  if (name === undefined) return null;
  return name === 'server' || name === 'agent'
    ? `${name}/src/index.ts`
    : `packages/${name}/src/index.ts`;
}

/** The name of the npm package of an import; null for Node's own modules and for files. */
export function packageNameOf(specifier: string): string | null {
  if (/^(?:\.|\/|node:)/.test(specifier)) return null;
  return /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? null;
}
