/** The functions that this server offers, by name. They come from code, from built-in descriptions and from files of users. */
import type { ProviderManifest } from '@tutti/manifests';
import {
  type FunctionName,
  findFunction,
  formatFunctionName,
  type Provider,
  type ProviderFunction,
} from '@tutti/sdk';

export interface ListedFunction {
  readonly called: ProviderFunction;
  readonly origin: 'built-in' | 'file';
  /** The description of the function; null for code. */
  readonly manifest: ProviderManifest | null;
  /** The file of a user's description. */
  readonly file: string | null;
}

/** A source of descriptions. */
export interface ManifestSource {
  readonly prefixes: readonly string[];
  load(
    prefix: string,
  ): Promise<{ readonly manifest: ProviderManifest; readonly provider: Provider } | null>;
}

/** The functions of users at this moment. */
export interface UserFunctions {
  functions(): Promise<readonly ListedFunction[]>;
}

export interface ProviderCatalog {
  /** The function that answers a name; null when there is none here. */
  find(name: FunctionName): Promise<ProviderFunction | null>;
  /** All functions. If several share a name, only the one that `find` returns. */
  all(): Promise<readonly ListedFunction[]>;
  /** Prefixes of all functions, found without loading the built-in descriptions. */
  prefixes(): Promise<ReadonlySet<string | null>>;
}

const NO_MANIFESTS: ManifestSource = { prefixes: [], load: async () => null };
const NO_USERS: UserFunctions = { functions: async () => [] };

export function createProviderCatalog({
  code,
  manifests = NO_MANIFESTS,
  users = NO_USERS,
}: {
  readonly code: readonly Provider[];
  readonly manifests?: ManifestSource;
  readonly users?: UserFunctions;
}): ProviderCatalog {
  const written = code.flatMap((provider) => listed(provider, null));
  const described = async (prefix: string): Promise<readonly ListedFunction[]> => {
    const found = await manifests.load(prefix);
    return found === null ? [] : listed(found.provider, found.manifest);
  };
  const together = async (prefixes: readonly string[]): Promise<readonly ListedFunction[]> => [
    ...written,
    ...(await Promise.all(prefixes.map(described))).flat(),
    // Later ones win over earlier ones of the same name.
    ...(await users.functions()),
  ];
  return {
    async find(name) {
      const functions = await together(name.prefix === null ? [] : [name.prefix]);
      return findFunction(
        functions.map(({ called }) => called),
        name,
      );
    },
    async prefixes() {
      const known = [...written, ...(await users.functions())].map(({ called }) => called.prefix);
      return new Set([...known, ...manifests.prefixes]);
    },
    async all() {
      const functions = await together(manifests.prefixes);
      return [
        ...new Map(functions.map((each) => [formatFunctionName(each.called), each])).values(),
      ];
    },
  };
}

const listed = (
  { functions }: Provider,
  manifest: ProviderManifest | null,
): readonly ListedFunction[] =>
  functions.map((called) => ({ called, origin: 'built-in', manifest, file: null }));
