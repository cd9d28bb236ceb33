/**
 * The files of a report folder that belong to a test case. Either the report of the test names their path, or they are named after it.
 * Playwright and Robot Framework do the one, Cypress does the other.
 */

export interface TestOfEvidence {
  readonly suite: string;
  readonly name: string;
  /** Messages and texts of its failure. */
  readonly text: string;
}

/** Files that people look at. A report has many others: scripts, styles, pages. */
const EVIDENCE = /\.(?:png|jpe?g|gif|webp|webm|mp4|zip|md|txt|log|har)$/i;
export const isEvidence = (path: string): boolean => EVIDENCE.test(path);

const VIDEO = /\.(?:webm|mp4)$/i;

/** In the order of the folder. */
export function evidenceOf(files: readonly string[], test: TestOfEvidence): readonly string[] {
  const text = test.text.replaceAll('\\', '/');
  const names = new Set([test.name, `${test.suite} ${test.name}`].map(plain).filter(Boolean));
  const isNamed = (path: string) => path.split('/').some((part) => names.has(plain(stemOf(part))));
  const shown = files.filter(isEvidence);
  const own = shown.filter((path) => isIn(text, path) || isNamed(path));
  const folders = new Set(own.flatMap((path) => path.split('/').slice(0, -1)));
  // Cypress makes one video of all tests of a file, and a folder of that name for their pictures.
  const isVideo = (path: string) =>
    VIDEO.test(path) && folders.has((path.split('/').at(-1) ?? '').replace(VIDEO, ''));
  return shown.filter((path) => own.includes(path) || isVideo(path));
}

/** The picture to show first: the newest one of the test case, or the newest of all. `pictures` are in the order of their times. */
export function pictureOf<File extends { readonly name: string }>(
  pictures: readonly File[],
  test: TestOfEvidence | null,
): File | undefined {
  const names = pictures.map(({ name }) => name);
  const own = test === null ? [] : evidenceOf(names, test);
  return pictures.findLast(({ name }) => own.includes(name)) ?? pictures.at(-1);
}

/** A path of the text may begin in another folder, and must not end within a longer name. */
function isIn(text: string, path: string): boolean {
  for (let at = text.indexOf(path); at !== -1; at = text.indexOf(path, at + 1)) {
    const [before = '', after = ''] = [text[at - 1], text[at + path.length]];
    if (!IN_NAME.test(before) && !IN_NAME.test(after)) return true;
  }
  return false;
}

const IN_NAME = /[\p{L}\p{N}_-]/u;

/** The name without its ending, and without what Cypress adds: `(failed)`, `(attempt 2)`, `(1)`. */
const stemOf = (name: string): string =>
  name.replace(/\.[^.]+$/, '').replace(/(?: \((?:failed|attempt \d+|\d+)\))+$/, '');

/** Tools leave out or replace what file systems refuse, and separate the names of suites in their own ways. */
const plain = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
