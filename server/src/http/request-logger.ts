/**
 * The logger of a request, whose lines have its id. It is made for the first line: most requests log nothing, and making one is
 * expensive.
 */
import type { FastifyBaseLogger } from 'fastify';
import type { LogLevel } from '../runtime/logger.ts';

type Bindings = Parameters<FastifyBaseLogger['child']>[0];
type Options = Parameters<FastifyBaseLogger['child']>[1];

export const createRequestLogger = (
  logger: FastifyBaseLogger,
  bindings: Bindings,
  options?: Options,
): FastifyBaseLogger => new RequestLogger(() => logger.child(bindings, options));

class RequestLogger implements FastifyBaseLogger {
  readonly #create: () => FastifyBaseLogger;
  #created: FastifyBaseLogger | null = null;

  constructor(create: () => FastifyBaseLogger) {
    this.#create = create;
  }

  get level(): string {
    return this.#logger.level;
  }

  child(bindings: Bindings, options?: Options): FastifyBaseLogger {
    return this.#logger.child(bindings, options);
  }

  fatal(...line: unknown[]): void {
    this.#log('fatal', line);
  }

  error(...line: unknown[]): void {
    this.#log('error', line);
  }

  warn(...line: unknown[]): void {
    this.#log('warn', line);
  }

  info(...line: unknown[]): void {
    this.#log('info', line);
  }

  debug(...line: unknown[]): void {
    this.#log('debug', line);
  }

  trace(...line: unknown[]): void {
    this.#log('trace', line);
  }

  silent(...line: unknown[]): void {
    this.#log('silent', line);
  }

  get #logger(): FastifyBaseLogger {
    this.#created ??= this.#create();
    return this.#created;
  }

  #log(level: LogLevel, line: readonly unknown[]): void {
    Reflect.apply(this.#logger[level], this.#logger, line);
  }
}
