/** The one failure that is no answer of the orchestrator: there was none, or it came from something else. */

const UNREACHABLE = Symbol.for('tutti.UnreachableError');

/**
 * Error when no orchestrator answered. `problem` is `connection` if no connection could be made, or if it broke before the answer was
 * complete. `problem` is `answer` for other answers, such as the error page of a proxy.
 */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  readonly [UNREACHABLE] = true;
  readonly url: string;
  readonly problem: 'connection' | 'answer';
  /** The system's code of the failure (`ECONNREFUSED`, `ENOTFOUND`, ...), null when there is none. */
  readonly code: string | null;

  constructor(url: string, problem: 'connection' | 'answer', why: string, cause?: unknown) {
    const shown = withoutCredentials(url);
    super(`${shown}: ${why}`, { cause });
    this.url = shown;
    this.problem = problem;
    this.code = systemCode(cause);
  }
}

/** Errors get logged, and addresses may have a name and a password. */
const withoutCredentials = (url: string): string => url.replace(/(:\/\/)[^\s/?#]*@/, '$1');

/** True also for errors made by another copy of this package, which `instanceof` would miss. */
export function isUnreachableError(error: unknown): error is UnreachableError {
  return typeof error === 'object' && error !== null && UNREACHABLE in error;
}

/** The failures of `fetch` carry the interesting part in a chain of causes. */
function systemCode(error: unknown): string | null {
  let current = error;
  // Five levels: fetch wraps once or twice, an AggregateError of several addresses once more.
  for (let depth = 0; depth < 5 && typeof current === 'object' && current !== null; depth += 1) {
    if ('code' in current && typeof current.code === 'string') return current.code;
    current = 'cause' in current ? current.cause : undefined;
  }
  return null;
}
