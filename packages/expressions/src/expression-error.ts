/** Refusals of the expression language. */
import { OrchestratorError } from '@tutti/manifests';

/** Characters of an expression that a message shows after the position. */
const SHOWN_AFTER = 60;
/** Characters of an expression that a message shows in all. */
const SHOWN_MAX = 400;

/** Knows where in its source an expression is wrong, for reports that point at it. */
export class ExpressionError extends OrchestratorError {
  /** Counted from 0. */
  readonly at: number;

  constructor(message: string, at: number, cause: unknown) {
    super('Invalid', message, { cause });
    this.at = at;
  }
}

/** An expression is right, but looks something up that is not there. */
export class MissingEntryError extends ExpressionError {}

/** Refuses an expression: quotes it and says where. `at` counts from 0; the message counts from 1. */
export function expressionError(
  source: string,
  at: number,
  problem: string,
  cause?: unknown,
): ExpressionError {
  return new ExpressionError(messageOf(source, at, problem), at, cause);
}

/** Error for an entry that does not exist. */
export const missingEntryError = (source: string, at: number, problem: string): MissingEntryError =>
  new MissingEntryError(messageOf(source, at, problem), at, undefined);

const messageOf = (source: string, at: number, problem: string): string =>
  `Invalid expression ${quoteAround(source, at)}: ${problem} at position ${at + 1}.`;

/** Refuses a pattern, likewise. */
export function patternError(pattern: string, at: number, problem: string): OrchestratorError {
  return new OrchestratorError(
    'Invalid',
    `Invalid pattern ${quoteAround(pattern, at)}: ${problem} at position ${at + 1}.`,
  );
}

/**
 * The text in double quotes, from its beginning to a little after the position. The end alone is cut, with the mark within the quotes. So a
 * masked text that was cut can still be recognized.
 */
function quoteAround(text: string, at: number): string {
  const end = Math.min(at + SHOWN_AFTER, SHOWN_MAX);
  return JSON.stringify(end < text.length ? `${text.slice(0, end)}…` : text);
}
