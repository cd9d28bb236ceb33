/** Files that options name. */
import { readFileSync } from 'node:fs';
import { codeOf } from './file-problem.ts';

/** The text of a file. For a directory, the error gets the path, which the system leaves out. */
export const readNamedText = (path: string): string => readNamedBytes(path).toString('utf8');

/** The bytes of a file, in the same way. */
export function readNamedBytes(path: string): Buffer<ArrayBuffer> {
  try {
    return readFileSync(path);
  } catch (error) {
    throw error instanceof Error && codeOf(error) === 'EISDIR'
      ? Object.assign(error, { path })
      : error;
  }
}
