/** The authenticator of a server: its own key first, then what its configuration names. */
import type { Clock } from '../runtime/clock.ts';
import type { ServerConfig } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';
import type { OutgoingPolicy } from '../runtime/outgoing-policy.ts';
import { openAccessFiles } from './access-files.ts';
import { createAuthenticator, type TokenAuthority } from './authenticator.ts';
import { KeySetCache } from './key-set-cache.ts';
import { keySetAddress } from './key-set-fetch.ts';
import { openOwnKey } from './own-key.ts';
import { ensureSigningKey } from './signing-key.ts';
import { parseNamespaces } from './token-claims.ts';
import { ensureAdminToken } from './tokens.ts';

export interface ServerAuthenticatorDeps {
  readonly config: Pick<ServerConfig, 'dataDir' | 'apiGroup' | 'auth'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly outgoing: OutgoingPolicy;
}

/**
 * Makes key and administrator's token of the data directory if there are none. Throws `Invalid` for a file or an address that
 * cannot be used. Key sets are fetched when a token needs them, so that a server starts also while an authority is away.
 */
export async function openServerAuthenticator(
  deps: ServerAuthenticatorDeps,
): Promise<TokenAuthority> {
  const { config, clock, logger, outgoing } = deps;
  const { auth, apiGroup, dataDir } = config;
  await ensureSigningKey(dataDir);
  await ensureAdminToken(dataDir, clock);
  const files = await openAccessFiles({ auth, apiGroup, clock, logger });
  return createAuthenticator({
    keys: [],
    files: await openOwnKey({ dataDir, files, clock, logger }),
    keySets: auth.keySets.map(({ url, namespaces }) => {
      const address = keySetAddress(url);
      const reached = parseNamespaces(namespaces);
      return new KeySetCache({ address, namespaces: reached, clock, logger, outgoing });
    }),
    clock,
  });
}
