import type { RunningServer, ServerOptions } from './main.ts';
import type { Reader } from './reader.ts';
import type { ServerConfig } from './runtime/config.ts';
import { OpenRefusal } from './store/sqlite/open-refusal.ts';

type TokenTools = typeof import('./token-tools.ts');
export type FileChecks = typeof import('./configured-files.ts');
type Recovery = typeof import('./recovery.ts');

export { RESOURCES, VERBS } from './auth/access.ts';
export { ensureSigningKey, SIGNING_ALGORITHM } from './auth/signing-key.ts';
export type { TokenScope } from './auth/token-claims.ts';
export { createToken } from './auth/tokens.ts';
export type { DefinitionFileKind } from './configured-files.ts';
export type { RunningServer } from './main.ts';
export type {
  BackupReport,
  DoctorReport,
  MoveReport,
  ReplicaReport,
  RestoreReport,
} from './recovery.ts';
export { systemClock } from './runtime/clock.ts';
export {
  configSchema,
  loadConfig,
  type ServerConfig,
  type ServerConfigInput,
} from './runtime/config.ts';
export { readDecimal } from './runtime/decimal.ts';
export { isLoopback } from './runtime/loopback.ts';
export { SERVICE_NAMES, SERVICE_PORTS, type ServiceName } from './runtime/service-addresses.ts';

/** Loads the checks of configured files (configured-files.ts). Loaded now, as the parts of a server are. */
export const loadFileChecks = (): Promise<FileChecks> => import('./configured-files.ts');

/** Backup, restore and checks of data directories. Loaded now: a server does without them. */
export const loadRecovery = (): Promise<Recovery> => import('./recovery.ts');

/** True if a server did not start because another process has its data directory; that process may end. */
export const isDataDirInUse = (error: unknown): boolean => refusedFor(error, 'in-use');

/** True if the data directory is of an older version, and a server must upgrade it first. */
export const isOlderData = (error: unknown): boolean => refusedFor(error, 'older');

function refusedFor(error: unknown, why: OpenRefusal['passing']): boolean {
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof OpenRefusal && cause.passing === why;
}

/** Answers questions about a data directory; see `startReader` in reader.ts. */
export async function startReader(config: ServerConfig): Promise<Reader> {
  const reader = await import('./reader.ts');
  return reader.startReader(config);
}

/** Loads the functions that make and check keys and tokens. */
export const loadTokenTools = (): Promise<TokenTools> => import('./token-tools.ts');

/** Starts a server; see `startServer` in main.ts. Its parts are loaded now: commands that only make a token do not need them. */
export async function startServer(
  config: ServerConfig,
  options?: ServerOptions,
): Promise<RunningServer> {
  const main = await import('./main.ts');
  return main.startServer(config, options);
}
