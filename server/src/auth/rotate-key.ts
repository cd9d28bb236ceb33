/** Revokes all tokens that a data directory's server issued: it gets another key. */
import { existsSync } from 'node:fs';
import { OrchestratorError } from '@tutti/manifests';
import type { Clock } from '../runtime/clock.ts';
import { replaceFile, syncDirectoryOf } from './private-files.ts';
import { newPrivateKey, signingKeyFile } from './signing-key.ts';
import { type AdminToken, ensureAdminToken } from './tokens.ts';

/**
 * Replaces the key in one step, then makes the public key and the administrator's token anew. After an interruption the old tokens are
 * refused all the same. The next start of the server, or another rotation, makes the missing files. Throws `Invalid` for a directory that
 * has no key.
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
