/** `tutti token create`: makes a token of a data directory's server. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NAMESPACE_NAME } from '@tutti/manifests';
import { DEFAULT_DATA_DIR } from '../connection.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { UsageError } from '../problem.ts';

export interface TokenCreateOptions {
  readonly dataDir?: string | undefined;
  readonly subject: string;
  readonly namespaces?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs?: readonly string[];
  /** Milliseconds. */
  readonly expiresIn?: number;
}

/**
 * Prints the token alone, for scripts to take. A data directory without a key gets one, as at the first start of its server;
 * that is told, because a mistyped path looks the same. Resolves with the exit code.
 */
export async function createTokenOf(options: TokenCreateOptions, io: Io): Promise<number> {
  const { createToken, ensureSigningKey, RESOURCES, systemClock, VERBS } = await import(
    '@tutti/server'
  );
  const { namespaces, resources, verbs, expiresIn } = options;
  const dataDir = options.dataDir ?? (io.env.TUTTI_DATA_DIR || DEFAULT_DATA_DIR);
  const isNew = !existsSync(join(dataDir, 'keys'));
  const scope = {
    ...(namespaces && { namespaces: knownNamespaces(namespaces) }),
    ...(resources && { resources: knownNames('--resources', resources, RESOURCES) }),
    ...(verbs && { verbs: knownNames('--verbs', verbs, VERBS) }),
  };
  const token = await createToken({
    key: await ensureSigningKey(dataDir),
    clock: systemClock,
    subject: options.subject,
    ...scope,
    ...(expiresIn !== undefined && { expiresInMs: expiresIn }),
  });
  if (isNew) {
    io.complain(
      `tutti: ${dataDir} had no key, so one was made; only its own server takes this token.\n`,
    );
  }
  io.screen.write(`${token}\n`);
  return EXIT_CODES.done;
}

/** `*` may stand among names: all is all. */
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
