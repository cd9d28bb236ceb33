/** The place in the sources that a test report names, if it is in the directory of the build. */
import { statSync } from 'node:fs';
import { join } from 'node:path';

export interface TestPlace {
  /** From the directory of the build, with slashes. */
  readonly file: string;
  readonly line: number;
}

/** Longer texts, and later places, are not looked at. */
const TEXT_LENGTH_MAX = 20_000;
const PLACES_MAX = 20;
/** Number of parent folders to check, as the test ran in a directory of its own. */
const DEPTH_MAX = 12;

/** `tests/a.py:12`, `File "tests/a.py", line 12`, `at f (/somewhere/src/a.test.js:12:5)`. */
const PLACE = /([\w@.\-/\\:]{0,300}[\w-]\.[A-Za-z]\w{0,9})(?::|", line )(\d{1,7})\b/g;

/** Null if none of the named places exists. */
export function testPlace(details: string, directory: string): TestPlace | null {
  const matches = details.slice(0, TEXT_LENGTH_MAX).matchAll(PLACE);
  let looked = 0;
  for (const [, path = '', line = ''] of matches) {
    looked += 1;
    if (looked > PLACES_MAX) return null;
    const file = fileOf(path, directory);
    if (file !== null) return { file, line: Number(line) };
  }
  return null;
}

/** An absolute path belongs to another machine; its end, with at least one folder, exists here, too. */
function fileOf(path: string, directory: string): string | null {
  const parts = path.replaceAll('\\', '/').split('/');
  const isAbsolute = parts[0] === '' || /^[A-Za-z]:$/.test(parts[0] ?? '');
  const names = parts.filter((part) => part !== '' && part !== '.');
  if (names.includes('..') || names.includes('node_modules') || names.length > 2 * DEPTH_MAX) {
    return null;
  }
  if (!isAbsolute) return isFile(names.join('/'), directory) ? names.join('/') : null;
  for (let from = Math.max(1, names.length - DEPTH_MAX); from <= names.length - 2; from += 1) {
    const end = names.slice(from).join('/');
    if (isFile(end, directory)) return end;
  }
  return null;
}

function isFile(path: string, directory: string): boolean {
  return statSync(join(directory, path), { throwIfNoEntry: false })?.isFile() === true;
}
