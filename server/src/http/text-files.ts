/** Files with texts that operators write. */
import { readFile } from 'node:fs/promises';
import { OrchestratorError } from '@tutti/manifests';
import { lookAt } from '../runtime/seen-file.ts';
import { decodeText } from './json.ts';

/** `what` begins the sentence about a file that is no text, such as "The definition". Throws `Invalid`; rejects if it cannot be read. */
export async function readTextFile(path: string, what: string, bytesMax: number): Promise<string> {
  const { kind, size } = await lookAt(path);
  if (kind !== 'a file') {
    throw new OrchestratorError('Invalid', `it is ${kind}, and a file is wanted.`);
  }
  if (size > bytesMax) {
    throw new OrchestratorError('Invalid', `it may have ${bytesMax} bytes at most.`);
  }
  return decodeText(await readFile(path), what);
}
