/** Status manifests, reasons and the one error class that carries a reason (specification 2.1 and part 7). */

/** The HTTP status code of each reason. The way back (code to reason) is ambiguous and never needed. */
export const REASON_CODES = {
  OK: 200,
  Created: 201,
  Accepted: 202,
  NoContent: 204,
  PartialContent: 206,
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  RequestTimeout: 408,
  AlreadyExists: 409,
  Conflict: 409,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  RangeNotSatisfiable: 416,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
} as const;

export type Reason = keyof typeof REASON_CODES;
export type SuccessReason = 'OK' | 'Created' | 'Accepted' | 'NoContent' | 'PartialContent';
export type FailureReason = Exclude<Reason, SuccessReason>;

/** The default response of the interface: always all eight fields (specification 2.1). */
export interface Status {
  readonly apiVersion: 'v1';
  readonly kind: 'Status';
  readonly metadata: Record<string, never>;
  readonly message: string;
  readonly status: 'Success' | 'Failure';
  readonly reason: Reason;
  readonly code: number;
  readonly details: object | null;
}

export function status(reason: Reason, message: string, details: object | null = null): Status {
  const code = REASON_CODES[reason];
  return {
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    message,
    status: code < 300 ? 'Success' : 'Failure',
    reason,
    code,
    details,
  };
}

const ORCHESTRATOR_ERROR = Symbol.for('tutti.OrchestratorError');

export interface RefusalOptions {
  readonly details?: object | null;
  readonly cause?: unknown;
  readonly retryAfterSeconds?: number | null;
}

/** A refusal: bad input, a missing thing, a missing right. Its message and details reach the client. */
export class OrchestratorError extends Error {
  override readonly name = 'OrchestratorError';
  readonly [ORCHESTRATOR_ERROR] = true;
  readonly reason: FailureReason;
  readonly details: object | null;
  /** Time until another try is worthwhile; null if unknown. */
  readonly retryAfterSeconds: number | null;

  constructor(reason: FailureReason, message: string, more: RefusalOptions = {}) {
    super(message, { cause: more.cause });
    this.reason = reason;
    this.details = more.details ?? null;
    this.retryAfterSeconds = more.retryAfterSeconds ?? null;
  }
}

/** True also for errors of another copy of this package, which `instanceof` would miss. */
export function isOrchestratorError(error: unknown): error is OrchestratorError {
  return typeof error === 'object' && error !== null && ORCHESTRATOR_ERROR in error;
}

/** The Status manifest of any error. An error that is no refusal becomes an internal error without details. */
export function statusOfError(error: unknown): Status {
  return isOrchestratorError(error)
    ? status(error.reason, error.message, furtherDetails(error))
    : status('InternalError', 'Internal error.');
}

/** Clients show the message and then `details.error`, so the line with the message is dropped there. */
function furtherDetails({ message, details }: OrchestratorError): object | null {
  if (details === null || !('error' in details) || typeof details.error !== 'string')
    return details;
  const { error, ...others } = details;
  const further = error.split('\n').filter((line) => line !== message);
  const rest = further.length === 0 ? others : { ...others, error: further.join('\n') };
  return Object.keys(rest).length === 0 ? null : rest;
}
