/** Reads tests/conformance/http.md: which clause of the specification is implemented where, and which test holds it. */
import { BREAK, readTestName, type TestName, tableRows } from './test-names.ts';

/** Replaces the tests of a clause that has none, or no implementation. */
export const OPEN = 'open';

export interface Clause {
  /** `4.5`, or `7` for a part that has no numbered sections. */
  readonly section: string;
  readonly says: string;
  /** Paths from the root of the repository. */
  readonly sources: readonly string[];
  readonly tests: 'open' | readonly TestName[];
}

const SECTION = /^\d+(?:\.\d+)?$/;

/** The rows of all tables of the document; a row of another form throws with its text. */
export function readClauses(document: string): readonly Clause[] {
  return tableRows(document, 'Section').map(readClause);
}

function readClause(cells: readonly string[]): Clause {
  const [section = '', says = '', sources = '', tests = '', ...rest] = cells;
  if (!SECTION.test(section) || says === '' || tests === '' || rest.length > 0) {
    throw new Error(`Not a row of a clause: ${cells.join(' | ')}`);
  }
  return {
    section,
    says,
    sources: [...sources.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
    tests: tests === OPEN ? OPEN : tests.split(BREAK).map(readTestName),
  };
}

/** The number of open rows as the document tells it; null if it does not. */
export function statedOpen(document: string): number | null {
  const [, shownBy] = /^Open rows: (\d+)\.$/m.exec(document) ?? [];
  return shownBy === undefined ? null : Number(shownBy);
}
