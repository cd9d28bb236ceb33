/** Files that options name. */
import { readFileSync } from 'node:fs';
import { codeOf } from './file-problem.ts';

/** The text of a file. Where it is a directory, the system leaves out which; it is told like what cannot be opened. */
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
