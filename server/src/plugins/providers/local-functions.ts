/** The functions that a server of this version has, without starting one: the descriptions take seconds to load. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ListedFunction } from '@tutti/manifests/reference';
import { formatFunctionName } from '@tutti/sdk';
import { readOwnFile } from '../../runtime/own-files.ts';

/** The folder of descriptions in the data directory. */
export const DEFAULT_FOLDER = 'providers';

/** Written by tests/structure/technologies.test.ts. */
const LIST = new URL('./built-in-functions.json', import.meta.url);

export async function builtInFunctions(): Promise<readonly ListedFunction[]> {
  // The test writes no other values.
  return JSON.parse((await readOwnFile(LIST)).toString()) as readonly ListedFunction[];
}

/** Functions of runs on this machine, with those in files of the data directory. Files with mistakes are left out. */
export async function localFunctions(dataDir: string): Promise<readonly ListedFunction[]> {
  const folder = join(dataDir, DEFAULT_FOLDER);
  if (!existsSync(folder)) return await builtInFunctions();
  // Loaded only here: few users have functions of their own.
  const { ProviderDirectory } = await import('./provider-directory.ts');
  const { createLogger } = await import('../../runtime/logger.ts');
  const logger = createLogger({ level: 'silent' });
  const directory = new ProviderDirectory(folder, true, { logger, isBuiltIn: async () => false });
  const own = (await directory.functions()).map(({ called }) => ({
    name: formatFunctionName(called),
    description: called.description,
    inputs: called.inputs,
  }));
  const all = [...(await builtInFunctions()), ...own].map((each) => [each.name, each] as const);
  return [...new Map(all).values()];
}
