import type { Authenticator } from './authenticator.ts';
import type { NamespaceSet } from './token-claims.ts';

/** Where the bearer of a token may carry out commands; nowhere if the server does not accept the token (any more). */
export const commandsByToken =
  (authenticator: Authenticator) =>
  async (token: string): Promise<NamespaceSet> => {
    try {
      const access = await authenticator.authenticate(`Bearer ${token}`);
      return access.namespaces('results', 'create');
    } catch {
      return new Set();
    }
  };
