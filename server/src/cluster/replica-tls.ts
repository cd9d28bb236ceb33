/**
 * Connections between replicas: TLS with the key that all of them have from the database (RFC 5489). So nobody else is let in, nobody else is
 * answered, and no certificate has to be made.
 */
import type { ConnectionOptions, TlsOptions } from 'node:tls';

const IDENTITY = 'replica';
/** Node has such keys for TLS 1.2 alone. A key that is lost later opens no recorded connection. */
const COMMON = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
} as const;

export const acceptingTls = (secret: Uint8Array): TlsOptions => ({
  ...COMMON,
  pskCallback: (_socket, identity) => (identity === IDENTITY ? secret : null),
});

export const connectingTls = (secret: Uint8Array): ConnectionOptions => ({
  ...COMMON,
  pskCallback: () => ({ psk: secret, identity: IDENTITY }),
  // There is no certificate: the key shows who it is.
  checkServerIdentity: () => undefined,
});
