/** Reads the server's own key and the revoked tokens from the data directory, and again when they change. */
import type { Clock } from '../runtime/clock.ts';
import { revokedTokensOf } from '../runtime/data-directory.ts';
import type { Logger } from '../runtime/logger.ts';
import { lookAt } from '../runtime/seen-file.ts';
import type { AccessFiles, FileTrust } from './access-files.ts';
import { FileLooks } from './file-looks.ts';
import { reasonOf } from './file-problem.ts';
import { type RevokedTokens, readRevokedTokens, revokedTokens } from './revoked-tokens.ts';
import { readSigningKey, signingKeyFile } from './signing-key.ts';
import { type TrustedKey, trustedKey } from './trusted-keys.ts';

export interface OwnKeyDeps {
  readonly dataDir: string;
  readonly files: AccessFiles;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly logger: Logger;
}

/**
 * The files with the own key before their keys, and with the revoked tokens. A file that cannot be used, or is missing, changes nothing. A
 * missing key is not replaced, a server that refused everybody would help nobody, and revoked tokens stay revoked.
 */
export async function openOwnKey(deps: OwnKeyDeps): Promise<AccessFiles> {
  const { dataDir, files, clock, logger } = deps;
  const key = await watchFile(signingKeyFile(dataDir), () => loadKey(dataDir), {
    changed: 'The key that signs tokens is another one: tokens of the one before are refused.',
    failed: 'The key that signs tokens changed, but the one before stays',
    logger,
  });
  const revoked = await watchFile(revokedTokensOf(dataDir), revokedLoader(dataDir), {
    changed: 'The list of revoked tokens was read again.',
    failed: 'The list of revoked tokens changed, but what it said before stays',
    logger,
  });
  const looks = new FileLooks(() => Promise.all([key.check(), revoked.check()]), clock);
  let joined: Joined | null = null;
  const join = (from: FileTrust): FileTrust => {
    const [own, ended] = [key.value, revoked.value];
    if (joined?.from !== from || joined.own !== own || joined.revoked !== ended) {
      const all = { ...from, keys: [own, ...from.keys], revoked: ended };
      joined = { from, own, revoked: ended, all };
    }
    return joined.all;
  };
  return {
    current: async () => {
      const look = looks.due();
      if (look !== null) await look;
      return join(await files.current());
    },
    look: async () => {
      await looks.now();
      return join(await files.look());
    },
  };
}

interface Joined {
  readonly from: FileTrust;
  readonly own: TrustedKey;
  readonly revoked: RevokedTokens;
  readonly all: FileTrust;
}

async function loadKey(dataDir: string): Promise<TrustedKey> {
  const { publicKey } = await readSigningKey(dataDir);
  return { ...trustedKey(publicKey, '*', 'signing.pem'), isOwn: true };
}

/** At the start there may be no list. A list that disappears later is a mistake, and its content stays. */
function revokedLoader(dataDir: string): () => Promise<RevokedTokens> {
  let wasThere = false;
  return async () => {
    const entries = await readRevokedTokens(dataDir);
    if (entries === null && wasThere) throw new Error('the file is gone.');
    wasThere = entries !== null;
    return revokedTokens(entries ?? []);
  };
}

interface WatchedFile<Value> {
  readonly value: Value;
  /** Looks at the file, and reads it if it is another one. Never rejects. */
  check(): Promise<void>;
}

interface WatchTexts {
  readonly changed: string;
  readonly failed: string;
  readonly logger: Logger;
}

async function watchFile<Value>(
  file: string,
  load: () => Promise<Value>,
  { changed, failed, logger }: WatchTexts,
): Promise<WatchedFile<Value>> {
  // Looked at before it is read: what changes meanwhile is found the next time.
  let mark = await markOf(file);
  let value = await load();
  return {
    get value() {
      return value;
    },
    check: async () => {
      const found = await markOf(file);
      if (found === mark) return;
      mark = found;
      try {
        value = await load();
        logger.info(changed);
      } catch (error) {
        logger.error(`${failed}: ${reasonOf(error)}`);
      }
    },
  };
}

/** Another one whenever the file may be another. */
const markOf = async (file: string): Promise<string> =>
  lookAt(file).then(({ mark }) => String(mark), reasonOf);
