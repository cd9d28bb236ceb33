/** Signatures of tokens (RFC 7515, compact form; RFC 7518, RFC 8037) with Node's own functions. */
import { constants, type KeyObject, sign, verify } from 'node:crypto';

export type Claims = Readonly<Record<string, unknown>>;

export interface DecodedToken {
  readonly header: Claims;
  readonly claims: Claims;
  /** The signed bytes. */
  readonly content: string;
  readonly signature: Uint8Array;
}

/** The parts of a token, unverified. Null if the text is no token. */
export function decodeToken(token: string): DecodedToken | null {
  const [header = '', payload = '', signature, ...others] = token.split('.');
  const parts = [objectOf(header), objectOf(payload)] as const;
  const [decodedHeader, claims] = parts;
  if (decodedHeader === null || claims === null) return null;
  if (signature === undefined || others.length > 0) return null;
  return {
    header: decodedHeader,
    claims,
    content: `${header}.${payload}`,
    signature: Buffer.from(signature, 'base64url'),
  };
}

function objectOf(part: string): Claims | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? { ...value } : null;
  } catch {
    return null;
  }
}

/** Undefined claims are left out. The algorithm must fit the key. */
export function signToken(claims: Claims, key: KeyObject, algorithm: string): string {
  const content = `${encoded({ alg: algorithm, typ: 'JWT' })}.${encoded(claims)}`;
  const signature = sign(digestOf(algorithm), Buffer.from(content), {
    key,
    ...formOf(algorithm),
  });
  return `${content}.${signature.toString('base64url')}`;
}

/** True when that key signed it. The algorithm of the token must be one of the key. */
export function isSignedBy(
  { header, content, signature }: DecodedToken,
  key: KeyObject,
  algorithms: readonly string[],
): boolean {
  const algorithm = algorithms.find((one) => one === header.alg);
  if (algorithm === undefined) return false;
  const form = { key, ...formOf(algorithm) };
  return verify(digestOf(algorithm), Buffer.from(content), form, signature);
}

const encoded = (part: Claims): string => Buffer.from(JSON.stringify(part)).toString('base64url');

const digestOf = (algorithm: string): string | null =>
  algorithm.startsWith('Ed') ? null : `sha${algorithm.slice(2)}`;

function formOf(algorithm: string) {
  if (algorithm.startsWith('ES')) return { dsaEncoding: 'ieee-p1363' } as const;
  if (!algorithm.startsWith('PS')) return {};
  return {
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  };
}
