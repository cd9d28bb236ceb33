/** Failures of the disk as refusals. The sender of a file reads why it was not kept, but not its path. */
import { OrchestratorError } from '@tutti/manifests';
import { LIMITS } from '../../runtime/limits.ts';

const FULL: readonly string[] = ['ENOSPC', 'EDQUOT'];

/**
 * Does one file operation. Its error becomes a refusal with a message for users, and its cause for the log. A full disk is
 * `ServiceUnavailable`, every other failure `InternalError`.
 */
export async function onDisk<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw storageFailure(error);
  }
}

function storageFailure(cause: unknown): OrchestratorError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
  return FULL.includes(code)
    ? noSpace(cause)
    : failure(`the disk of the server failed (${code})`, cause);
}

/** A refusal that may be retried: somebody may make room. */
export const noSpace = (cause: unknown): OrchestratorError =>
  new OrchestratorError(
    'ServiceUnavailable',
    'The file could not be stored: the server has no space left for it.',
    { cause, retryAfterSeconds: LIMITS.retryAfterFullDiskSeconds },
  );

const failure = (why: string, cause: unknown): OrchestratorError =>
  new OrchestratorError('InternalError', `The file could not be stored: ${why}.`, { cause });
