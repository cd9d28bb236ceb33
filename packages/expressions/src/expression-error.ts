/** Refusals of the expression language. */
import { OrchestratorError } from '@tutti/manifests';

/** How much of a long expression a message shows on each side of the position. */
const SHOWN_AROUND = 60;

/** Refuses an expression: quotes it and says where. `at` counts from 0; the message counts from 1. */
export function expressionError(
  source: string,
  at: number,
  problem: string,
  cause?: unknown,
): OrchestratorError {
  return new OrchestratorError(
    'Invalid',
    `Invalid expression ${quoteAround(source, at)}: ${problem} at position ${at + 1}.`,
    { cause },
  );
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
