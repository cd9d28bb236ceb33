/**
 * The statements that tests hold. A line such as `// Language 1.2: A name is required.` stands above a test, or `// HTTP 4.2: …`. The test
 * fails if the statement does not hold. A difference in tests/conformance/differences.md has such a line, too.
 */
import { anchorOf } from './headings.ts';
import type { SourceFile } from './source-files.ts';
import { BREAK, tableRows } from './test-names.ts';

export interface Holding {
  /** `1.3`, or `5` for a part that has no numbered sections. */
  readonly section: string;
  readonly says: string;
  /** A cell of the table: the name of a test, or the link to a difference. */
  readonly by: string;
}

/** An entry of tests/conformance/differences.md. */
export interface Difference {
  readonly heading: string;
  /** The first cell of a row, or the first words of an entry of a list. */
  readonly subject: string;
}

/** Documents whose statements tests hold, by the first word of a mark, with the titles of their parts. */
export const SUBJECTS = {
  Language: [
    '1. Workflows',
    '3. Scripts and environments',
    '5. Workflow commands',
    '6. Expressions',
  ],
  HTTP: [
    '1. What the service does',
    '2. Resources and their fields',
    '3. States and transitions',
    '4. Endpoints',
    '5. Authentication',
    '6. Events',
    '7. Errors',
    '8. Limits',
    '9. Versioning',
  ],
} as const;

export type Subject = keyof typeof SUBJECTS;

const MARK = /^\s*\/\/ (Language|HTTP) (\d+(?:\.\d+)?): (.+)\.$/;
/** The title of a table of tests follows its rows. */
const TITLES = [/\)\((['"`])(.+?)(?<!\\)\1/, /(['"`])(.+?)(?<!\\)\1/];
const DIFFERENCE = /^<!-- Language (\d+(?:\.\d+)?): (.+)\. See: (.+) -->$/gm;

/** Throws for a mark without a test behind it. */
export function heldByTests({ path, text }: SourceFile, subject: Subject): readonly Holding[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    const [, about, section, says = ''] = MARK.exec(line) ?? [];
    if (about !== subject || section === undefined) return [];
    const title = titleBehind(lines, index);
    if (title === null) throw new Error(`No test behind "${says}" in ${path}.`);
    return [{ section, says, by: `\`${path}\`: ${title}` }];
  });
}

/** Title of the test under a mark, or null without one. */
export function titleBehind(lines: readonly string[], mark: number): string | null {
  const tested = lines.slice(mark).filter((each) => !/^\s*\/\//.test(each));
  // The title may be on the line after the call.
  const found = tested.slice(0, 2).flatMap((line) => TITLES.map((form) => form.exec(line)));
  return found.find((match) => match !== null)?.[2] ?? null;
}

const sectionsIn = (document: string) =>
  document.split('\n## ').map((part) => ({ heading: part.split('\n', 1)[0] ?? '', part }));

export function heldDifferently(document: string): readonly (Holding & Difference)[] {
  return sectionsIn(document).flatMap(({ heading, part }) =>
    [...part.matchAll(DIFFERENCE)].map(([, section = '', says = '', subject = '']) => {
      const by = `[${heading}](differences.md#${anchorOf(heading)}): ${subject}`;
      return { section, says, by, heading, subject };
    }),
  );
}

/** Differences that their section of the document lacks. */
export function missingDifferences(
  entries: readonly Difference[],
  document: string,
): readonly Difference[] {
  const sections = new Map(sectionsIn(document).map(({ heading, part }) => [heading, part]));
  return entries.filter(({ heading, subject }) => {
    const part = sections.get(heading) ?? '';
    const isRow = tableRows(part, 'Subject').some(([first]) => first === subject);
    return !isRow && !part.includes(`\n- ${subject}`);
  });
}

const orderOf = (section: string): number => {
  const [part = 0, number = 0] = section.split('.').map(Number);
  return 100 * part + number;
};

/** A table for each part of the document, by section. */
export function statementTables(subject: Subject, holdings: readonly Holding[]): string {
  const rows = Map.groupBy(holdings, ({ section, says }) => `${section} | ${cell(says)}`);
  const sorted = [...rows].toSorted(([left], [right]) => orderOfRow(left) - orderOfRow(right));
  const tables = SUBJECTS[subject].map((title) => {
    const [part] = title.split('.');
    const own = sorted.filter(([row]) => row.split(/[. ]/, 1)[0] === part);
    const lines = own.map(
      ([row, held]) => `| ${row} | ${cell(held.map(({ by }) => by).join(BREAK))} |`,
    );
    const head = ['| Section | Statement | Held by |', '|---|---|---|'];
    return [`## ${title}`, '', ...head, ...lines].join('\n');
  });
  return tables.join('\n\n');
}

const orderOfRow = (row: string): number => orderOf(row.split(' ', 1)[0] ?? '');
const cell = (text: string): string => text.replaceAll('|', '&#124;');
