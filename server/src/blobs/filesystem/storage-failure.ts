/** Failures of the disk as refusals: who sends a file should read why it was not kept, and need not know where. */
import { OrchestratorError } from '@tutti/manifests';

const FULL: readonly string[] = ['ENOSPC', 'EDQUOT'];

/**
 * Does one file operation. What it fails with becomes an `InternalError` whose message can be shown, and whose cause is for the
 * log.
 */
export async function onDisk<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw storageFailure(error);
  }
}

export function storageFailure(cause: unknown): OrchestratorError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
  const message = FULL.includes(code)
    ? 'The file could not be stored: the server has no space left for it.'
    : `The file could not be stored: the disk of the server failed (${code}).`;
  return new OrchestratorError('InternalError', message, { cause });
}
