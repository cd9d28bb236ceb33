/** Finds the configuration of the command line: our own file, or else that of existing clients (client facts 1.1). */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';

export interface ConfigPlace {
  readonly file: string;
  /** Why this one, as in "--client-config". */
  readonly because: string;
  /** The file belongs to another client: it is read, and never written. */
  readonly isForeign: boolean;
  readonly isThere: boolean;
}

export interface ConfigPlaceOptions {
  readonly clientConfig?: string | undefined;
}

const DEFAULT = 'the default';

/**
 * Path of the configuration file. A file that the user names counts even if it does not exist. Otherwise it is our own file, or
 * the one that `tutti config` would create.
 */
export function configPlace(options: ConfigPlaceOptions, env: Io['env']): ConfigPlace {
  const own = writablePlace(options, env);
  const foreign = foreignPlace(env);
  const isOwn = own.isThere || own.because !== DEFAULT || foreign === null;
  return isOwn || (!foreign.isThere && foreign.because === DEFAULT) ? own : foreign;
}

/** The file to write. It is another client's file only if the user names it as ours. */
export function writablePlace({ clientConfig }: ConfigPlaceOptions, env: Io['env']): ConfigPlace {
  if (clientConfig !== undefined) return placeOf(clientConfig, '--client-config');
  if (env.TUTTI_CLIENT_CONFIG) return placeOf(env.TUTTI_CLIENT_CONFIG, 'TUTTI_CLIENT_CONFIG');
  const folder = env.XDG_CONFIG_HOME || join(homeOf(env) ?? '.', '.config');
  return placeOf(join(folder, 'tutti', 'config.yaml'), DEFAULT);
}

/** Configuration file of existing clients; null if the home directory is unknown. */
export function foreignPlace(env: Io['env']): ConfigPlace | null {
  if (env.OPENTF_CONFIG) return placeOf(env.OPENTF_CONFIG, 'OPENTF_CONFIG', true);
  const home = homeOf(env);
  return home === null ? null : placeOf(join(home, '.opentf', 'config'), DEFAULT, true);
}

/** Reads the environment, not the system: tests and services have homes of their own. */
const homeOf = (env: Io['env']): string | null => env.HOME || env.USERPROFILE || null;

const placeOf = (file: string, because: string, isForeign = false): ConfigPlace => ({
  ...{ file, because, isForeign, isThere: existsSync(file) },
});

/** For commands that only read: a named file must exist. */
export function readablePlace(options: ConfigPlaceOptions, env: Io['env']): ConfigPlace | null {
  const place = configPlace(options, env);
  if (place.isThere) return place;
  if (place.because === DEFAULT) return null;
  throw new UsageError(
    `There is no file ${place.file}, which ${place.because} names.`,
    `correct ${place.because}, or make the file: "tutti config set-orchestrator NAME --server URL" begins one.`,
  );
}
