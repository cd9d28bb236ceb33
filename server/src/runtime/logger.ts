/** The log of the server: one JSON object per line on standard error. */
import { type DestinationStream, type Logger, pino } from 'pino';
import { GatheredLines } from './gathered-lines.ts';

export type { Logger };

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** These headers are removed from every log line: a log must never reveal a token. */
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

/** Buffer for lines while the disk is full, in bytes; later lines are lost. */
const BACKLOG_BYTES = 1024 * 1024;

let standardError: DestinationStream | null = null;

/** One stream for all loggers. A failing log must neither break nor end the server. */
function openStandardError(): DestinationStream {
  const destination = pino.destination({ fd: 2, sync: true, maxLength: BACKLOG_BYTES });
  // A failing log cannot be reported anywhere.
  destination.on('error', () => {});
  const lines = new GatheredLines(destination);
  process.once('exit', () => lines.flush());
  return lines;
}

let lastMs = 0;
let lastEntry = '';

/** The time entry of a line. Lines of one millisecond share it. */
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
      // JSON shows no fields of errors; pino itself knows only `err`.
      serializers: { error: pino.stdSerializers.err },
      timestamp: timeEntry,
    },
    options.destination ?? standardError ?? undefined,
  );
}
