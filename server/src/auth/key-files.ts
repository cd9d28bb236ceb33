/** Files of public keys: their names, whether they may have changed, and their keys. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lookAt } from '../runtime/seen-file.ts';
import { orUnreadable, readBounded } from './bounded-file.ts';
import { reasonOf, unusableFile } from './file-problem.ts';
import { AUTH_LIMITS } from './limits.ts';

export interface KeyFile {
  readonly file: string;
  /** Another one whenever the content may be another. */
  readonly mark: string;
}

/** The files of a path, by name; of a directory, those that are not hidden. Throws `Invalid`. */
export async function keyFiles(path: string): Promise<readonly KeyFile[]> {
  const found = await orUnreadable('key', path, lookAt(path));
  if (found.mark !== null) return [{ file: path, mark: found.mark }];
  if (found.kind !== 'a directory') {
    const why = `it is ${found.kind}, and a file or a directory of files is wanted.`;
    throw unusableFile('key', path, why);
  }
  const names = (await orUnreadable('key', path, readdir(path))).filter(
    (name) => !name.startsWith('.'),
  );
  if (names.length > AUTH_LIMITS.keysOfDirectory) {
    throw unusableFile('key', path, `a directory may have ${AUTH_LIMITS.keysOfDirectory} of them.`);
  }
  const entries = await Promise.all(names.sort().map((name) => lookInside(join(path, name))));
  return entries.flatMap(({ file, mark }) => (mark === null ? [] : [{ file, mark }]));
}

/** A file that cannot be looked at, such as a broken link, is reported as unreadable. */
const lookInside = (file: string) =>
  lookAt(file).catch((error: unknown) => ({ file, mark: reasonOf(error) }));

const PRIVATE_KEY = /^-----BEGIN [A-Z ]*PRIVATE KEY-----/m;
const PEM_BLOCK = /-----BEGIN ([A-Z ]+)-----.*?-----END \1-----/gs;

/**
 * The public keys of a file, which may have several. Only the first certificate counts: those that follow it vouch for it, and sign no
 * tokens. Throws `Invalid`.
 */
export async function readKeys(file: string): Promise<readonly KeyObject[]> {
  const pem = await readBounded('key', file, AUTH_LIMITS.keyFileBytes);
  if (PRIVATE_KEY.test(pem)) {
    const why = `it is a private key, and the public one is wanted; "openssl pkey -in ${file} -pubout" writes it.`;
    throw unusableFile('key', file, why);
  }
  const blocks = keyBlocks(pem);
  if (blocks.length > AUTH_LIMITS.keysOfFile) {
    const why = `it has ${blocks.length} keys; ${AUTH_LIMITS.keysOfFile} are the most.`;
    throw unusableFile('key', file, why);
  }
  return blocks.map((block, index) => {
    const which = blocks.length === 1 ? 'it' : `key ${index + 1} of ${blocks.length}`;
    return publicKeyOf(block, which, file);
  });
}

/** A text without a PEM block is one block, so that it is reported as no key. */
function keyBlocks(pem: string): readonly string[] {
  const found = [...pem.matchAll(PEM_BLOCK)].map(([block, kind]) => ({ block, kind }));
  const first = found.find(({ kind }) => kind?.endsWith('CERTIFICATE'));
  const keys = found.filter((each) => each === first || !each.kind?.endsWith('CERTIFICATE'));
  return keys.length === 0 ? [pem] : keys.map(({ block }) => block);
}

function publicKeyOf(pem: string, which: string, file: string): KeyObject {
  try {
    return createPublicKey(pem);
  } catch (cause) {
    const why = `${which} is not a public key in PEM form (${reasonOf(cause)}); openssl pkey -pubout writes one.`;
    throw unusableFile('key', file, why, cause);
  }
}
