/** Warnings about risky default settings, one line each. */
import type { ServerConfig } from './config.ts';
import type { Logger } from './logger.ts';
import { isLoopback } from './loopback.ts';

export function warnOfDefaults(
  {
    host,
    tls,
    auth,
  }: Pick<ServerConfig, 'host' | 'tls'> & {
    readonly auth: Pick<ServerConfig['auth'], 'insecureLogin'>;
  },
  logger: Pick<Logger, 'warn'>,
  /** Null if accounts have no numbers. */
  userId: number | null = process.getuid?.() ?? null,
): void {
  if (auth.insecureLogin) {
    logger.warn('Whoever can run a program on this machine may do everything: auth.insecureLogin.');
  }
  if (userId === 0) {
    logger.warn(
      'The server runs as root, so that whoever finds a hole in it has the machine. Start it as an account of its own (tutti docs operate/monitor).',
    );
  }
  if (tls.cert === undefined && !isLoopback(host)) {
    logger.warn(
      `Tokens and secrets cross the network for all to read, as the server speaks plain HTTP on ${host}. Set tls.cert and tls.key, or listen on 127.0.0.1 behind a proxy that speaks TLS (tutti docs operate/reverse-proxy).`,
    );
  }
}
