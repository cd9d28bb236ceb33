/** Modes of files that have secrets. */
import { statSync } from 'node:fs';
import { attention, type Point } from './section.ts';

/** Rights of the group and of everybody else. */
const OTHERS = 0o077;

/** Empty if only its owner can read the file. */
export function rightsPoint(file: string, content: string): readonly Point[] {
  // Windows has rights of another kind.
  const found =
    process.platform === 'win32' ? undefined : statSync(file, { throwIfNoEntry: false });
  if (found === undefined || (found.mode & OTHERS) === 0) return [];
  const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
  return [
    attention(
      `${file} has ${content}, and the mode ${mode}: others than its owner may read it`,
      `take that from them: chmod 600 ${file}`,
    ),
  ];
}
