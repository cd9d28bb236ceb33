/** What an operator may have left as it is without knowing what it means: one line each. */
import type { ServerConfig } from './config.ts';
import type { Logger } from './logger.ts';
import { isLoopback } from './loopback.ts';

export function warnOfDefaults(
  { host, tls }: Pick<ServerConfig, 'host' | 'tls'>,
  logger: Pick<Logger, 'warn'>,
  /** Null where accounts have no numbers. */
  userId: number | null = process.getuid?.() ?? null,
): void {
  if (userId === 0) {
    logger.warn(
      'The server runs as root, so that whoever finds a hole in it has the machine. Start it as an account of its own (docs/operations.md).',
    );
  }
  if (tls.cert === undefined && !isLoopback(host)) {
    logger.warn(
      `Tokens and secrets cross the network for all to read, as the server speaks plain HTTP on ${host}. Set tls.cert and tls.key, or listen on 127.0.0.1 behind a proxy that speaks TLS (docs/reverse-proxy.md).`,
    );
  }
}
