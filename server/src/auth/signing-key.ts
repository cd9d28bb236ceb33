/**
 * The server's key pair, which signs its tokens. The data directory has `keys/signing.pem` (private, readable by its owner only) and
 * `keys/signing.pub.pem`. ES256, because the tools of existing clients can check it and because a pair is made within a millisecond.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OrchestratorError } from '@tutti/manifests';
import { makeDataDirectory } from '../runtime/data-directory.ts';
import { makeDirectory } from '../runtime/make-directory.ts';
import { createFile, makePrivate, replaceFile } from './private-files.ts';

export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export const SIGNING_ALGORITHM = 'ES256';

/** The key pair of a data directory, made if there is none. Processes that do this at the same time agree on one. */
export async function ensureSigningKey(dataDir: string): Promise<SigningKey> {
  const file = signingKeyFile(dataDir);
  makeDataDirectory(dataDir);
  makeDirectory(dirname(file));
  await createFile(file, newPrivateKey);
  await makePrivate(file);
  const key = await readSigningKey(dataDir);
  await ensurePublicFile(join(dirname(file), 'signing.pub.pem'), key.publicKey);
  return key;
}

/** Path of the private key. */
export const signingKeyFile = (dataDir: string): string => join(dataDir, 'keys', 'signing.pem');

/** The key pair that is there. Rejects as the file system does, and with `Invalid` for a file that is no such key. */
export async function readSigningKey(dataDir: string): Promise<SigningKey> {
  const file = signingKeyFile(dataDir);
  const privateKey = readPrivateKey(await readFile(file, 'utf8'), file);
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

/** Makes a private key, in PEM form. */
export function newPrivateKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
}

function readPrivateKey(pem: string, file: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  } catch {
    // Refused below, without anything of the file's content.
  }
  throw new OrchestratorError(
    'Invalid',
    `${file} is not a P-256 private key; remove it to have a new one made (all issued tokens end with it).`,
  );
}

async function ensurePublicFile(file: string, publicKey: KeyObject): Promise<void> {
  const pem = String(publicKey.export({ type: 'spki', format: 'pem' }));
  const present = await readFile(file, 'utf8').catch(() => null);
  if (present !== pem) await replaceFile(file, pem);
}
