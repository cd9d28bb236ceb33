/** Remembers verified tokens, because checking a signature costs more than the rest of most requests. */
import type { Access } from './access.ts';

export interface VerifiedToken {
  readonly access: Access;
  /** Milliseconds since 1970; Infinity for a token that does not expire. */
  readonly expiresAtMs: number;
  /**
   * From then on, it counts only once it was verified anew: its key may have been withdrawn. Time of the monotonic clock; Infinity for
   * never.
   */
  readonly checkAgainAtMs: number;
}

export interface VerifiedTokens {
  /** Null when the token is not known; the caller checks what its times say. */
  get(token: string): VerifiedToken | null;
  add(token: string, verified: VerifiedToken): void;
  clear(): void;
}

/** Keeps the `sizeMax` tokens that were used last. */
export function createVerifiedTokens(sizeMax: number): VerifiedTokens {
  // A Map lists its keys in the order of insertion, so the first one is the one unused for longest.
  const tokens = new Map<string, VerifiedToken>();
  // Mostly one sender comes again and again.
  let newest: string | null = null;
  return {
    get: (token) => {
      const verified = tokens.get(token);
      if (verified === undefined) return null;
      if (token === newest) return verified;
      tokens.delete(token);
      tokens.set(token, verified);
      newest = token;
      return verified;
    },
    add: (token, verified) => {
      tokens.set(token, verified);
      newest = null;
      if (tokens.size <= sizeMax) return;
      for (const oldest of tokens.keys()) {
        tokens.delete(oldest);
        break;
      }
    },
    clear: () => tokens.clear(),
  };
}
