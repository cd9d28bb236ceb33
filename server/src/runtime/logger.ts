/** The log of the server: one JSON object per line on standard error. */
import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Wherever a header set is logged, these are cut out: a log must never be a way to a token. */
const SECRETS = [
  'authorization',
  'headers.authorization',
  'req.headers.authorization',
  'request.headers.authorization',
  'token',
  '*.token',
];

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Default: standard error, written at once so that the last words before a crash are not lost. */
  readonly destination?: DestinationStream;
}

/** What waits for a disk that is full, in bytes; later lines are lost. */
const BACKLOG_BYTES = 1024 * 1024;

/** A log that cannot be written must neither break what the server does nor end it. */
function standardError(): DestinationStream {
  const destination = pino.destination({ fd: 2, sync: true, maxLength: BACKLOG_BYTES });
  // There is no other place to tell it.
  destination.on('error', () => {});
  return destination;
}

export function createLogger(options: LoggerOptions): Logger {
  return pino(
    {
      level: options.level,
      base: null,
      redact: { paths: SECRETS, censor: '[redacted]' },
      formatters: { level: (label) => ({ level: label }) },
      // Errors have no entries of their own that JSON would show; `err` is known by itself.
      serializers: { error: pino.stdSerializers.err },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    options.destination ?? standardError(),
  );
}
