/** Keys and tokens for the command line. Loaded on demand, because a server starts without it. */
export { ALGORITHM as ACCEPTED_ALGORITHM } from './auth/authenticator.ts';
export { readKeys } from './auth/key-files.ts';
export {
  isExpired,
  type RevokedToken,
  readRevokedTokens,
  revokedTokens,
  revokeToken,
  tokenHash,
} from './auth/revoked-tokens.ts';
export { rotateSigningKey } from './auth/rotate-key.ts';
export { signingKeyFile } from './auth/signing-key.ts';
export { readScope } from './auth/token-claims.ts';
export { ensureAdminToken, tokenClaims } from './auth/tokens.ts';
export { algorithmsOf } from './auth/trusted-keys.ts';
