/** Checks a configuration and the files that it names as a server would, for people who write one. */
import { isOrchestratorError } from '@tutti/manifests';
import { openAccessFiles } from './auth/access-files.ts';
import { accessLines, csvCells } from './auth/access-lines.ts';
import { reasonOf } from './auth/file-problem.ts';
import { problemOfPolicy } from './auth/policies.ts';
import { problemOfToken } from './auth/static-tokens.ts';
import { loadTrustedKeys } from './auth/trusted-keys.ts';
import { hooksOf } from './hook-files.ts';
import { readDocument } from './http/documents.ts';
import {
  checkInsights,
  loadConfiguredInsights,
} from './plugins/insightcollector/configured-insights.ts';
import { checkGates, loadConfiguredGates } from './plugins/qualitygate/configured-gates.ts';
import { systemClock } from './runtime/clock.ts';
import type { ServerConfig } from './runtime/config.ts';
import { createLogger } from './runtime/logger.ts';
import { checkPrefixes, FIRST_SEGMENTS } from './runtime/service-addresses.ts';

export { accessLines, csvCells, problemOfPolicy, problemOfToken };

export type DefinitionFileKind = 'quality gates' | 'insights' | 'channel hooks' | 'provider hooks';

/** Why a server would not take a file with this text; null when it would. */
export function problemOfDefinitions(kind: DefinitionFileKind, text: string): string | null {
  return refusalOf(() => {
    const document = readDocument(text);
    switch (kind) {
      case 'quality gates':
        return checkGates(document);
      case 'insights':
        return checkInsights(document);
      case 'channel hooks':
        return hooksOf(document, 'channel');
      case 'provider hooks':
        return hooksOf(document, 'provider');
    }
  });
}

function refusalOf(read: () => unknown): string | null {
  try {
    read();
    return null;
  } catch (error) {
    if (!isOrchestratorError(error)) throw error;
    return error.message;
  }
}

/** Why a server would not take the public keys of a file; null when it would. */
export async function problemOfKeyFile(path: string): Promise<string | null> {
  try {
    await loadTrustedKeys([{ path, namespaces: '*' }]);
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

/** True for a prefix of a service that hides a path of the interface. A server refuses it. */
export function hidesInterface(prefix: string): boolean {
  const services = [{ name: 'observer', prefix }] as const;
  return FIRST_SEGMENTS.some((name) => refusalOf(() => checkPrefixes(services, `/${name}`)));
}

/** Opens all files and directories that decide access or define something, as a start does. Throws `Invalid` as that would. */
export async function checkConfiguredFiles(config: ServerConfig): Promise<void> {
  const logger = createLogger({ level: 'silent' });
  const { auth, apiGroup } = config;
  await openAccessFiles({ auth, apiGroup, clock: systemClock, logger });
  await loadConfiguredGates(config.qualityGates.definitions, logger);
  await loadConfiguredInsights(config.insights.definitions, logger);
}
