/** Finds the configuration of the command line: our own file, or else that of existing clients (client facts 1.1). */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';

export interface ConfigPlace {
  readonly file: string;
  /** The file belongs to another client: it is read, and never written. */
  readonly isForeign: boolean;
  readonly isThere: boolean;
  /** Why this one, as in "--client-config". */
  readonly because: string;
}

export interface ConfigPlaceOptions {
  readonly clientConfig?: string | undefined;
}

const FOREIGN_VARIABLE = 'OPENTF_CONFIG';

/**
 * Path of the configuration file. A file that the user names counts even if it does not exist. Otherwise it is our own file, or
 * the one that `tutti config` would create.
 */
export function configPlace({ clientConfig }: ConfigPlaceOptions, env: Io['env']): ConfigPlace {
  if (clientConfig !== undefined) return namedPlace(clientConfig, '--client-config');
  if (env.TUTTI_CLIENT_CONFIG) return namedPlace(env.TUTTI_CLIENT_CONFIG, 'TUTTI_CLIENT_CONFIG');
  const own = ownPlace(env);
  if (own.isThere) return own;
  const foreign = foreignPlace(env);
  const isMeant = foreign?.isThere === true || foreign?.because === FOREIGN_VARIABLE;
  return isMeant ? foreign : own;
}

/** The file to write. It is another client's file only if the user names it as ours. */
export function writablePlace(options: ConfigPlaceOptions, env: Io['env']): ConfigPlace {
  const place = configPlace(options, env);
  return place.isForeign ? ownPlace(env) : place;
}

/** Configuration file of existing clients; null if the home directory is unknown. */
export function foreignPlace(env: Io['env']): ConfigPlace | null {
  if (env.OPENTF_CONFIG) return placeOf(env.OPENTF_CONFIG, true, FOREIGN_VARIABLE);
  const home = homeOf(env);
  return home === null ? null : placeOf(join(home, '.opentf', 'config'), true, 'the default');
}

function ownPlace(env: Io['env']): ConfigPlace {
  const home = homeOf(env);
  const folder = env.XDG_CONFIG_HOME || (home === null ? '.config' : join(home, '.config'));
  return placeOf(join(folder, 'tutti', 'config.yaml'), false, 'the default');
}

/** Reads the environment, not the system: tests and services have homes of their own. */
const homeOf = (env: Io['env']): string | null => env.HOME || env.USERPROFILE || null;

const placeOf = (file: string, isForeign: boolean, because: string): ConfigPlace => ({
  file,
  isForeign,
  isThere: existsSync(file),
  because,
});

const namedPlace = (file: string, because: string): ConfigPlace => placeOf(file, false, because);

/** For commands that only read: a named file must exist. */
export function readablePlace(options: ConfigPlaceOptions, env: Io['env']): ConfigPlace | null {
  const place = configPlace(options, env);
  if (place.isThere) return place;
  if (place.because === 'the default') return null;
  throw new UsageError(
    `There is no file ${place.file}, which ${place.because} names.`,
    `correct ${place.because}, or make the file: "tutti config set-orchestrator NAME --server URL" begins one.`,
  );
}
