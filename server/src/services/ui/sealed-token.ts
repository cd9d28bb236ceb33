/** Tokens that only the holder of a secret can read: encrypted, so that a copy of the store reveals none. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** The parts are in base64url. */
export interface SealedToken {
  readonly nonce: string;
  readonly tag: string;
  readonly text: string;
}

const ID_BYTES = 16;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const CIPHER = 'aes-256-gcm';
const SECRET = /^[A-Za-z0-9_-]{64}$/;

/** An id and a key, as 64 characters. */
export const newSecret = (): string => randomBytes(ID_BYTES + KEY_BYTES).toString('base64url');

export const isSecret = (text: string): boolean => SECRET.test(text);

/** The name under which the token is stored: a hash, from which nobody gets the id. */
export function storedIdOf(secret: string): string {
  const id = Buffer.from(secret, 'base64url').subarray(0, ID_BYTES);
  return createHash('sha256').update(id).digest('base64url');
}

const keyIn = (secret: string): Buffer => Buffer.from(secret, 'base64url').subarray(ID_BYTES);

export function sealToken(secret: string, authorization: string): SealedToken {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyIn(secret), nonce).setAAD(aadOf(secret));
  const text = Buffer.concat([cipher.update(authorization, 'utf8'), cipher.final()]);
  const [sealed, tag] = [text, cipher.getAuthTag()].map((bytes) => bytes.toString('base64url'));
  return { nonce: nonce.toString('base64url'), tag: tag ?? '', text: sealed ?? '' };
}

/** Null for a secret with another key, and for a changed text. */
export function openToken(secret: string, { nonce, tag, text }: SealedToken): string | null {
  const [iv, authTag, sealed] = [nonce, tag, text].map((part) => Buffer.from(part, 'base64url'));
  if (iv === undefined || authTag?.length !== 16 || sealed === undefined) return null;
  const decipher = createDecipheriv(CIPHER, keyIn(secret), iv).setAAD(aadOf(secret));
  decipher.setAuthTag(authTag);
  try {
    return decipher.update(sealed, undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return null;
  }
}

/** Binds the text to its name: one cannot take the place of another. */
const aadOf = (secret: string): Buffer => Buffer.from(storedIdOf(secret));
