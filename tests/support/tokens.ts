/** Tokens like those of other tools: signed by hand, so that the server does not check its own code. */
import { constants, createHmac, type KeyObject, sign } from 'node:crypto';
import type { Loose } from './api.ts';

export interface TokenParts {
  readonly header: Loose;
  readonly claims: Loose;
}

const encoded = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

const joined = ({ header, claims }: TokenParts): string =>
  `${encoded({ typ: 'JWT', ...header })}.${encoded(claims)}`;

/** A token signed by the algorithm that its header names. It is RS, PS or ES with 256, 384 or 512 bits, or EdDSA. */
export function signedToken(key: KeyObject, parts: TokenParts): string {
  const content = joined(parts);
  const algorithm = String(parts.header.alg);
  const digest = algorithm === 'EdDSA' ? null : `sha${algorithm.slice(2)}`;
  const signature = sign(digest, Buffer.from(content), {
    key,
    ...signatureForm(algorithm),
  });
  return `${content}.${signature.toString('base64url')}`;
}

function signatureForm(algorithm: string) {
  if (algorithm.startsWith('ES')) return { dsaEncoding: 'ieee-p1363' } as const;
  if (algorithm.startsWith('RS') || algorithm === 'EdDSA') return {};
  return {
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  };
}

/** A forgery that uses a public key as a shared secret. */
export function hmacToken(secret: string, parts: TokenParts): string {
  const content = joined(parts);
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
}

/** A token without a signature. */
export const unsignedToken = (parts: TokenParts): string => `${joined(parts)}.`;
