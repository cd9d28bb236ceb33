/** Reads tests/conformance/language.md: what holds each statement on the workflow language. */
import { BREAK, readTestName, type TestName, tableRows } from './test-names.ts';

export interface Statement {
  /** `1.3`, or `5` for a part that has no numbered sections. */
  readonly section: string;
  readonly says: string;
  readonly tests: readonly TestName[];
  readonly differences: readonly Difference[];
}

/** An entry of tests/conformance/differences.md. */
export interface Difference {
  readonly heading: string;
  /** The first cell of a row, or the first words of an entry of a list. */
  readonly subject: string;
}

const SECTION = /^\d+(?:\.\d+)?$/;
const DIFFERENCE = /^\[([^\]]+)\]\(differences\.md#([\w-]+)\): (.+)$/;

/** The rows of all tables of the document; a row of another form throws with its text. */
export function readStatements(document: string): readonly Statement[] {
  return tableRows(document, 'Section').map((cells) => {
    const [section = '', says = '', held = '', ...rest] = cells;
    if (!SECTION.test(section) || says === '' || held === '' || rest.length > 0) {
      throw new Error(`Not a row of a statement: ${cells.join(' | ')}`);
    }
    const parts = held.split(BREAK);
    const differences = parts.flatMap(readDifference);
    const tests = parts.filter((part) => !part.startsWith('[')).map(readTestName);
    return { section, says, tests, differences };
  });
}

function readDifference(text: string): readonly Difference[] {
  if (!text.startsWith('[')) return [];
  const [, heading = '', anchor, subject = ''] = DIFFERENCE.exec(text) ?? [];
  if (anchor !== anchorOf(heading)) throw new Error(`Not an entry of the differences: ${text}`);
  return [{ heading, subject }];
}

/** As GitHub makes it of a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

/** Differences that tests/conformance/differences.md lacks. */
export function missingDifferences(
  entries: readonly Difference[],
  document: string,
): readonly Difference[] {
  const sections = new Map(
    document.split('\n## ').map((part) => {
      const [heading = ''] = part.split('\n', 1);
      return [heading, part] as const;
    }),
  );
  return entries.filter(({ heading, subject }) => {
    const part = sections.get(heading) ?? '';
    const isRow = tableRows(part, 'Subject').some(([first]) => first === subject);
    return !isRow && !part.includes(`\n- ${subject}`);
  });
}
