/** The log of the server: one JSON object per line on standard error. */
import { type DestinationStream, type Logger, pino } from 'pino';
import { GatheredLines } from './gathered-lines.ts';

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
  /** Default: standard error. */
  readonly destination?: DestinationStream;
}

/** What waits for a disk that is full, in bytes; later lines are lost. */
const BACKLOG_BYTES = 1024 * 1024;

let standardError: DestinationStream | null = null;

/** One for all loggers. A log that cannot be written must neither break what the server does nor end it. */
function openStandardError(): DestinationStream {
  const destination = pino.destination({ fd: 2, sync: true, maxLength: BACKLOG_BYTES });
  // There is no other place to tell it.
  destination.on('error', () => {});
  const lines = new GatheredLines(destination);
  process.once('exit', () => lines.flush());
  return lines;
}

let lastMs = 0;
let lastEntry = '';

/** The time of a line, as its logger writes it. Lines of one millisecond have the same. */
function timeEntry(): string {
  const nowMs = Date.now();
  if (nowMs === lastMs) return lastEntry;
  lastMs = nowMs;
  lastEntry = `,"time":"${new Date(nowMs).toISOString()}"`;
  return lastEntry;
}

export function createLogger(options: LoggerOptions): Logger {
  if (options.destination === undefined) standardError ??= openStandardError();
  return pino(
    {
      level: options.level,
      base: null,
      redact: { paths: SECRETS, censor: '[redacted]' },
      formatters: { level: (label) => ({ level: label }) },
      // Errors have no entries of their own that JSON would show; `err` is known by itself.
      serializers: { error: pino.stdSerializers.err },
      timestamp: timeEntry,
    },
    options.destination ?? standardError ?? undefined,
  );
}
