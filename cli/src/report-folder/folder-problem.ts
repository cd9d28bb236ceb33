import { FolderError } from '@tutti/server/report-folder';
import { UsageError } from '../terminal/problem.ts';

/** Throws an error, as users see it. */
export function folderProblem(error: unknown): never {
  throw error instanceof FolderError ? new UsageError(error.message, error.advice) : error;
}
