/** Reads docs/conformance.md: which clause of the specification is implemented where, and which test holds it. */

/** What stands in the place of tests for a clause that has none, or no implementation. */
export const OPEN = 'open';

export interface Clause {
  /** `4.5`, or `7` for a part that has no numbered sections. */
  readonly section: string;
  readonly says: string;
  /** Paths from the root of the repository. */
  readonly sources: readonly string[];
  readonly tests: 'open' | readonly TestName[];
}

export interface TestName {
  readonly path: string;
  /** The title of the test, after those of the groups that tell it from others of the same title. */
  readonly titles: readonly string[];
}

const BREAK = '<br>';
const SECTION = /^\d+(?:\.\d+)?$/;

/** The rows of all tables of the document; a row of another form throws with its text. */
export function readClauses(document: string): readonly Clause[] {
  return document
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| Section |'))
    .map(readClause);
}

function readClause(line: string): Clause {
  const [section = '', says = '', sources = '', tests = '', ...rest] = line
    .slice(2, -2)
    .split('|')
    .map((cell) => cell.trim());
  if (!SECTION.test(section) || says === '' || tests === '' || rest.length > 0) {
    throw new Error(`Not a row of a clause: ${line}`);
  }
  return {
    section,
    says,
    sources: [...sources.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
    tests: tests === OPEN ? OPEN : tests.split(BREAK).map(readTestName),
  };
}

function readTestName(text: string): TestName {
  const [, path, titles] = /^`([^`]+)`: (.+)$/.exec(text) ?? [];
  if (path === undefined || titles === undefined) throw new Error(`Not a test: ${text}`);
  return { path, titles: titles.split(' > ') };
}

/** The titles that a file of tests has nowhere as a whole text; `source` is null for a file that is not there. */
export function missingTitles({ titles }: TestName, source: string | null): readonly string[] {
  if (source === null) return titles;
  return titles.filter((title) => !["'", '"', '`'].some((q) => source.includes(q + title + q)));
}

/** The number of open rows as the document tells it; null if it does not. */
export function toldOpen(document: string): number | null {
  const [, told] = /^Open rows: (\d+)\.$/m.exec(document) ?? [];
  return told === undefined ? null : Number(told);
}
