/** The functions of a server as its configuration wants them. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type FunctionName, formatFunctionName } from '@tutti/sdk';
import { unusableFile } from '../../http/definition-sources.ts';
import type { ServerConfig } from '../../runtime/config.ts';
import type { Logger } from '../../runtime/logger.ts';
import { builtInManifest, manifestPrefixes } from './built-in-manifests.ts';
import { codeProviders } from './built-in-providers.ts';
import { DEFAULT_FOLDER } from './local-functions.ts';
import { createProviderCatalog, type ProviderCatalog } from './provider-catalog.ts';
import { ProviderDirectory } from './provider-directory.ts';

/** Opens the functions of a server. Throws `Invalid` if the configured directory cannot be read. */
export async function openProviders(
  { dataDir, providers }: Pick<ServerConfig, 'dataDir' | 'providers'>,
  logger: Logger,
): Promise<ProviderCatalog> {
  const { directory } = providers;
  if (directory !== undefined) await refuseUnreadable(directory);
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
    directory ?? join(dataDir, DEFAULT_FOLDER),
    directory === undefined,
    { logger, isBuiltIn },
  );
  return createProviderCatalog({ ...builtIn, users });
}

/** Without this check only runs that call a function would notice a missing directory. */
async function refuseUnreadable(directory: string): Promise<void> {
  try {
    await readdir(directory);
  } catch (error) {
    throw unusableFile(directory, error);
  }
}
