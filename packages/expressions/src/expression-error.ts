/** Refusals of the expression language. */
import { OrchestratorError } from '@tutti/manifests';

/** How much of a long expression a message shows on each side of the position. */
const SHOWN_AROUND = 60;

/** Knows where in its source an expression is wrong, for reports that point at it. */
export class ExpressionError extends OrchestratorError {
  /** Counted from 0. */
  readonly at: number;

  constructor(message: string, at: number, cause: unknown) {
    super('Invalid', message, { cause });
    this.at = at;
  }
}

/** Refuses an expression: quotes it and says where. `at` counts from 0; the message counts from 1. */
export function expressionError(
  source: string,
  at: number,
  problem: string,
  cause?: unknown,
): ExpressionError {
  const message = `Invalid expression ${quoteAround(source, at)}: ${problem} at position ${at + 1}.`;
  return new ExpressionError(message, at, cause);
}

/** Refuses a pattern, likewise. */
export function patternError(pattern: string, at: number, problem: string): OrchestratorError {
  return new OrchestratorError(
    'Invalid',
    `Invalid pattern ${quoteAround(pattern, at)}: ${problem} at position ${at + 1}.`,
  );
}

/** The text in double quotes, cut to what is near the position. */
function quoteAround(text: string, at: number): string {
  const start = Math.max(0, at - SHOWN_AROUND);
  const end = at + SHOWN_AROUND;
  const shown = JSON.stringify(text.slice(start, end));
  return `${start > 0 ? '…' : ''}${shown}${end < text.length ? '…' : ''}`;
}
