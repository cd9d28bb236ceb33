/** Revokes all tokens that a data directory's server issued: it gets another key. */
import { existsSync } from 'node:fs';
import { OrchestratorError } from '@tutti/manifests';
import type { Clock } from '../runtime/clock.ts';
import { replaceFile, syncDirectoryOf } from './private-files.ts';
import { newPrivateKey, signingKeyFile } from './signing-key.ts';
import { type AdminToken, ensureAdminToken } from './tokens.ts';

/**
 * A new key takes the place of the old one in one step; what follows from it, the public key and the administrator's token, is made anew
 * then. Where that is interrupted, the old tokens are refused all the same, and the next start of the server, or another rotation, makes
 * what is missing. Throws `Invalid` for a directory that has no key.
 */
export async function rotateSigningKey(dataDir: string, clock: Clock): Promise<AdminToken> {
  const file = signingKeyFile(dataDir);
  if (!existsSync(file)) {
    throw new OrchestratorError(
      'Invalid',
      `${dataDir} has no key, so there are no tokens to revoke.`,
    );
  }
  await replaceFile(file, newPrivateKey());
  await syncDirectoryOf(file);
  return await ensureAdminToken(dataDir, clock);
}
