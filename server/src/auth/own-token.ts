/**
 * Tokens of the server's own key (RFC 7515, compact form; RFC 7518 3.4). This file uses Node alone, so that a start loads no library for
 * the tokens of other issuers.
 */
import { type KeyObject, sign, verify } from 'node:crypto';
import { SIGNING_ALGORITHM } from './signing-key.ts';

type Claims = Readonly<Record<string, unknown>>;

const DIGEST = 'sha256';
const DSA_ENCODING = 'ieee-p1363';
const HEADER = encoded({ alg: SIGNING_ALGORITHM, typ: 'JWT' });

/** Claims whose value is undefined are left out. */
export function signOwnToken(claims: Claims, privateKey: KeyObject): string {
  const content = `${HEADER}.${encoded(claims)}`;
  const signature = sign(DIGEST, Buffer.from(content), {
    key: privateKey,
    dsaEncoding: DSA_ENCODING,
  });
  return `${content}.${signature.toString('base64url')}`;
}

/** The claims of a token that `signOwnToken` made with that pair of keys; else null. Does not check its times. */
export function claimsOfOwnToken(token: string, publicKey: KeyObject): Claims | null {
  const [header, payload, signature, ...others] = token.split('.');
  if (header !== HEADER || !payload || !signature || others.length > 0) return null;
  const isOurs = verify(
    DIGEST,
    Buffer.from(`${header}.${payload}`),
    { key: publicKey, dsaEncoding: DSA_ENCODING },
    Buffer.from(signature, 'base64url'),
  );
  // Only we sign with this key, and we sign objects.
  return isOurs ? (JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims) : null;
}

function encoded(part: Claims): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
