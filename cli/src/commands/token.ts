/** `tutti tokens create`: makes a token, with the key of a data directory's server or with one of its user. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NAMESPACE_NAME } from '@tutti/manifests';
import type { systemClock, TokenScope } from '@tutti/server';
import { dataDirOf } from '../connection/data-directory.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';

export interface TokenCreateOptions {
  readonly dataDir?: string;
  readonly subject: string;
  readonly namespaces?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs?: readonly string[];
  /** Milliseconds. */
  readonly expiresIn?: number;
  /** File of a private key. */
  readonly key?: string;
  readonly passphraseFile?: string;
  readonly algorithm?: string;
  readonly issuer?: string;
}

/** Prints the token alone, for scripts to take. Resolves with the exit code. */
export async function createTokenOf(options: TokenCreateOptions, io: Io): Promise<number> {
  const { RESOURCES, systemClock: clock, VERBS } = await import('@tutti/server');
  const { namespaces, resources, verbs, expiresIn, subject, issuer } = options;
  const wish = {
    ...(namespaces && { namespaces: knownNamespaces(namespaces) }),
    ...(resources && { resources: knownNames('--resources', resources, RESOURCES) }),
    ...(verbs && { verbs: knownNames('--verbs', verbs, VERBS) }),
    subject,
    clock,
    ...(expiresIn !== undefined && { expiresInMs: expiresIn }),
    ...(issuer !== undefined && { issuer }),
  };
  const { key } = options;
  const token =
    key === undefined
      ? await tokenOfServer(wish, options, io)
      : await tokenOfUser(wish, { ...options, key }, io);
  io.screen.write(`${token}\n`);
  return EXIT_CODES.done;
}

type Wish = TokenScope & {
  readonly subject: string;
  readonly clock: typeof systemClock;
  readonly expiresInMs?: number;
  readonly issuer?: string;
};

/**
 * A data directory without a key gets one, as at the first start of its server. The command reports that, because a mistyped path looks the same.
 */
async function tokenOfServer(wish: Wish, options: TokenCreateOptions, io: Io): Promise<string> {
  const { createToken, ensureSigningKey, SIGNING_ALGORITHM } = await import('@tutti/server');
  const { algorithm = SIGNING_ALGORITHM, passphraseFile } = options;
  if (algorithm !== SIGNING_ALGORITHM || passphraseFile !== undefined) {
    throw new UsageError(
      `Keys of data directories sign with ${SIGNING_ALGORITHM}, and have no passphrase.`,
      'name a key of your own with --key, or leave out --algorithm and --passphrase-file.',
    );
  }
  const dataDir = dataDirOf(options, io);
  const isNew = !existsSync(join(dataDir, 'keys'));
  const token = await createToken({ ...wish, key: await ensureSigningKey(dataDir) });
  if (isNew) {
    io.complain(
      `tutti: ${dataDir} had no key, so one was made; only its own server takes this token.\n`,
    );
  }
  return token;
}

async function tokenOfUser(
  wish: Wish,
  options: TokenCreateOptions & { readonly key: string },
  io: Io,
): Promise<string> {
  if (options.dataDir !== undefined) {
    throw new UsageError('--key and --data-dir both name a key.', 'leave one of them out.');
  }
  const [{ loadTokenTools }, { openPrivateKey, signingAlgorithm }, { signToken }] =
    await Promise.all([
      import('@tutti/server'),
      import('../tokens/private-key.ts'),
      import('../tokens/token-signature.ts'),
    ]);
  const { algorithmsOf, tokenClaims } = await loadTokenTools();
  const key = await openPrivateKey(options.key, options.passphraseFile, io);
  const algorithm = signingAlgorithm(key, options.algorithm, algorithmsOf, options.key);
  return signToken(tokenClaims(wish), key, algorithm);
}

/** `*` among names means all. */
function knownNamespaces(names: readonly string[]): readonly string[] {
  const pattern = new RegExp(NAMESPACE_NAME);
  const wrong = names.find((name) => name !== '*' && !pattern.test(name));
  if (wrong === undefined) return names;
  throw new UsageError(
    `--namespaces takes names of namespaces, and "${wrong}" is none.`,
    'take small letters, digits and -, or * for all.',
  );
}

function knownNames<Name extends string>(
  option: string,
  names: readonly string[],
  known: readonly Name[],
): readonly Name[] {
  return names.map((name) => {
    const found = known.find((one) => one === name);
    if (found !== undefined) return found;
    throw new UsageError(`${option} knows no "${name}".`, `take some of ${known.join(', ')}.`);
  });
}
