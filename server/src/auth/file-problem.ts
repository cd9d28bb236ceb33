/** Message about an unusable file that decides access: which file, where in it, and what to do. */
import { OrchestratorError } from '@tutti/manifests';
import { sentence } from '../runtime/sentence.ts';
import { AUTH_LIMITS } from './limits.ts';

/** `what` is "key", "token file" or "policy file". A token never stands in `why`: the sentence goes to logs. */
export function unusableFile(
  what: string,
  file: string,
  why: string,
  cause?: unknown,
): OrchestratorError {
  return new OrchestratorError('Invalid', sentence(`The ${what} ${file} is not usable: ${why}`), {
    cause,
  });
}

/** Throws the first problems of a file, if there are any. Each begins with its line. */
export function refuseProblems(what: string, file: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  const shown = problems.slice(0, AUTH_LIMITS.problemsMax);
  const rest = problems.length - shown.length;
  const more = rest === 0 ? [] : [`and ${rest} more`];
  throw unusableFile(what, file, [...shown, ...more].join('; '));
}

export const reasonOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause);
