/** The context of a command, if any. Its server counts if neither options nor the environment name one. */
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import type { ClientContext } from './client-context.ts';
import { type ConfigPlaceOptions, configPlace, readablePlace } from './config-place.ts';

export interface ContextOptions extends ConfigPlaceOptions {
  readonly context?: string | undefined;
  readonly server?: string | undefined;
  readonly dataDir?: string | undefined;
}

/**
 * Loads the context, unless the user names a server or data directory, which the context's token is not for. Options precede the
 * environment. Throws `UsageError` for unreadable files and missing names.
 */
export async function loadContext(
  options: ContextOptions,
  env: Io['env'],
): Promise<ClientContext | null> {
  const isNamed = options.server !== undefined || options.dataDir !== undefined;
  const name = options.context ?? (isNamed ? undefined : env.TUTTI_CONTEXT || undefined);
  const isNamedByAny = isNamed || Boolean(env.TUTTI_SERVER) || Boolean(env.TUTTI_DATA_DIR);
  if (name === undefined && isNamedByAny) return null;
  const place = readablePlace(options, env);
  if (place !== null) {
    const { readContext } = await import('./read-config.ts');
    return readContext(place, name);
  }
  if (name === undefined) return null;
  throw new UsageError(
    `There is no context "${name}", as there is no configuration ${configPlace(options, env).file}.`,
    'make one with "tutti config set-context", or name a file with --client-config or TUTTI_CLIENT_CONFIG.',
  );
}
