/** Names of tests in documents: `path`: title, after the titles of groups that distinguish it from equal titles. */

export interface TestName {
  readonly path: string;
  readonly titles: readonly string[];
}

/** Between several names in one cell of a table. */
export const BREAK = '<br>';

/** Throws with a text that is no name. */
export function readTestName(text: string): TestName {
  const [, path, titles] = /^`([^`]+)`: (.+)$/.exec(text) ?? [];
  if (path === undefined || titles === undefined) throw new Error(`Not a test: ${text}`);
  return { path, titles: titles.split(' > ') };
}

/** The titles that a file of tests has nowhere as a whole text. `source` is null for a file that is not there. */
export function missingTitles({ titles }: TestName, source: string | null): readonly string[] {
  if (source === null) return titles;
  return titles.filter((title) => !["'", '"', '`'].some((q) => source.includes(q + title + q)));
}

/** `path: title` of each title that is nowhere. `read` is asked once for each file, and gives null for one that is not there. */
export function missingTests(
  tests: readonly TestName[],
  read: (path: string) => string | null,
): readonly string[] {
  const sources = new Map(tests.map(({ path }) => [path, null as string | null]));
  for (const path of sources.keys()) sources.set(path, read(path));
  return tests.flatMap((each) =>
    missingTitles(each, sources.get(each.path) ?? null).map((title) => `${each.path}: ${title}`),
  );
}

/** The cells of all rows of the tables of a document that begin with this heading. Bars in cells are written `&#124;`. */
export function tableRows(document: string, heading: string): readonly (readonly string[])[] {
  return document
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith(`| ${heading} |`))
    .map((line) =>
      line
        .slice(2, -2)
        .split('|')
        .map((cell) => cell.trim().replaceAll('&#124;', '|')),
    );
}
