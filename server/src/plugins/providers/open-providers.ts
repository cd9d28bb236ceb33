/** The functions of a server as its configuration wants them. */
import { join } from 'node:path';
import { type FunctionName, formatFunctionName } from '@tutti/sdk';
import type { ServerConfig } from '../../runtime/config.ts';
import type { Logger } from '../../runtime/logger.ts';
import { builtInManifest, manifestPrefixes } from './built-in-manifests.ts';
import { codeProviders } from './built-in-providers.ts';
import { createProviderCatalog, type ProviderCatalog } from './provider-catalog.ts';
import { ProviderDirectory } from './provider-directory.ts';

/** In the data directory. */
const DEFAULT_FOLDER = 'providers';

export function openProviders(
  { dataDir, providers }: Pick<ServerConfig, 'dataDir' | 'providers'>,
  logger: Logger,
): ProviderCatalog {
  const builtIn = {
    code: codeProviders,
    manifests: { prefixes: manifestPrefixes, load: builtInManifest },
  };
  const ours = createProviderCatalog(builtIn);
  const isBuiltIn = async (name: FunctionName) => {
    const found = await ours.find(name);
    return found !== null && formatFunctionName(found) === formatFunctionName(name);
  };
  const users = new ProviderDirectory(
    providers.directory ?? join(dataDir, DEFAULT_FOLDER),
    providers.directory === undefined,
    { logger, isBuiltIn },
  );
  return createProviderCatalog({ ...builtIn, users });
}
