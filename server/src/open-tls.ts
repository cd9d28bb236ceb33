/** Opens TLS for a server that is configured for it. */
import type { FastifyInstance } from 'fastify';
import { CurrentCertificate } from './http/current-certificate.ts';
import { tlsFilesOf } from './http/tls-files.ts';
import { TlsFront } from './http/tls-front.ts';
import type { Clock } from './runtime/clock.ts';
import type { ServerConfig } from './runtime/config.ts';
import type { Logger } from './runtime/logger.ts';

export interface TlsDeps {
  readonly config: Pick<ServerConfig, 'tls'>;
  readonly logger: Logger;
  readonly clock: Pick<Clock, 'now'>;
}

/** Null where the server speaks HTTP. Throws `Invalid` where the files cannot be used. */
export function openTls(app: FastifyInstance, { config, logger, clock }: TlsDeps): TlsFront | null {
  const files = tlsFilesOf(config.tls);
  if (files === null) return null;
  const now = () => performance.now();
  const timeOfDay = () => clock.now();
  const certificate = new CurrentCertificate({ files, logger, now, timeOfDay });
  const needsClientCertificate = files.clientCa !== undefined;
  return new TlsFront(app, { certificate, needsClientCertificate, logger });
}
