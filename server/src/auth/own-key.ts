/** The server's own key while it runs: another one counts as soon as it is there, so that tokens can be revoked. */
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import { lookAt } from '../runtime/seen-file.ts';
import type { AccessFiles, FileTrust } from './access-files.ts';
import { reasonOf } from './file-problem.ts';
import { AUTH_LIMITS } from './limits.ts';
import { readSigningKey, signingKeyFile } from './signing-key.ts';
import { type TrustedKey, trustedKey } from './trusted-keys.ts';

export interface OwnKeyDeps {
  readonly dataDir: string;
  readonly files: AccessFiles;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The files with the own key before their keys, read again when its file changes. A file that cannot be used, or is missing, changes
 * nothing: who takes it away wants no other key, and a server that refused everybody would help nobody.
 */
export async function openOwnKey(deps: OwnKeyDeps): Promise<AccessFiles> {
  const { files, clock, logger } = deps;
  const file = signingKeyFile(deps.dataDir);
  const load = async (): Promise<TrustedKey> => {
    const { publicKey } = await readSigningKey(deps.dataDir);
    return { ...trustedKey(publicKey, '*', 'signing.pem'), isOwn: true };
  };
  let mark = await markOf(file);
  let own = await load();
  let checkedAtMs = clock.now();
  let checking: Promise<void> | null = null;
  let joined: {
    readonly from: FileTrust;
    readonly own: TrustedKey;
    readonly all: FileTrust;
  } | null = null;

  const check = async () => {
    const found = await markOf(file);
    if (found === mark) return;
    mark = found;
    try {
      own = await load();
      logger.info(
        'The key that signs tokens is another one: tokens of the one before are refused.',
      );
    } catch (error) {
      logger.error(
        `The key that signs tokens changed, but the one before stays: ${reasonOf(error)}`,
      );
    }
  };
  return {
    current: async () => {
      if (clock.now() - checkedAtMs >= AUTH_LIMITS.fileCheckMs) {
        checkedAtMs = clock.now();
        checking ??= check().finally(() => {
          checking = null;
        });
      }
      if (checking !== null) await checking;
      const from = await files.current();
      if (joined?.from !== from || joined.own !== own) {
        joined = { from, own, all: { ...from, keys: [own, ...from.keys] } };
      }
      return joined.all;
    },
  };
}

/** Another one whenever the file may be another. */
const markOf = async (file: string): Promise<string> =>
  lookAt(file).then(({ mark }) => String(mark), reasonOf);
