/** Private keys of users, with which they sign tokens. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { Io } from '../terminal/io.ts';
import { readNamedText } from '../terminal/named-file.ts';
import { UsageError } from '../terminal/problem.ts';

/** Asks for the passphrase if the key has one and no file is named. Throws `UsageError` if the file has no key. */
export async function openPrivateKey(
  file: string,
  passphraseFile: string | undefined,
  io: Io,
): Promise<KeyObject> {
  const pem = readNamedText(file);
  const passphrase =
    passphraseFile === undefined
      ? await askedPassphrase(pem, file, io)
      : readNamedText(passphraseFile).trimEnd();
  try {
    return createPrivateKey({ key: pem, ...(passphrase !== null && { passphrase }) });
  } catch {
    throw unusable(file, passphrase !== null);
  }
}

/** In both forms that there are. */
const ENCRYPTED = /^-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m;

/** Null for a key that has none. */
async function askedPassphrase(pem: string, file: string, io: Io): Promise<string | null> {
  if (!ENCRYPTED.test(pem)) return null;
  const typed = (await io.askSecret?.(`Passphrase of ${file}: `)) ?? null;
  if (typed !== null) return typed;
  throw new UsageError(
    `The key ${file} has a passphrase.`,
    'name a file that has it with --passphrase-file, or call this on a terminal.',
  );
}

/** The message contains nothing of the file. */
const unusable = (file: string, hasPassphrase: boolean): UsageError =>
  hasPassphrase
    ? new UsageError(
        `${file} cannot be opened with that passphrase.`,
        'give the right one; the file must be a private key in PEM form.',
      )
    : new UsageError(
        `${file} is no private key in PEM form.`,
        'name one, as "openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:3072" writes it.',
      );

/** Algorithms that existing clients use for keys with several (client facts 1.5). */
const USUAL = ['RS512', 'PS512'];

/** The algorithm that was asked for, or the usual one of the key. Throws `UsageError` where the key has no such algorithm. */
export function signingAlgorithm(
  key: KeyObject,
  wanted: string | undefined,
  algorithmsOf: (key: KeyObject) => readonly string[],
  file: string,
): string {
  const known = algorithmsOf(createPublicKey(key));
  const [first] = known;
  if (first === undefined) {
    throw new UsageError(
      `Servers accept no tokens of the key ${file}.`,
      'take an RSA key of 2048 bits or more, P-256, P-384, P-521 or Ed25519.',
    );
  }
  if (wanted === undefined) return USUAL.find((one) => known.includes(one)) ?? first;
  if (known.includes(wanted)) return wanted;
  throw new UsageError(
    `The key ${file} does not sign with ${wanted}.`,
    `take ${known.join(', ')}, or leave out --algorithm.`,
  );
}
