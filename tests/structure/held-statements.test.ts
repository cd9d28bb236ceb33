/** tests/conformance/language.md and http.md are made of the tests, and of the differences that hold a statement in another way. */
import { describe, expect, test } from 'vitest';
import {
  heldByTests,
  heldDifferently,
  missingDifferences,
  type Subject,
  statementTables,
} from './held-statements.ts';
import { isTestCode, readRepositoryFile, readSourceFiles } from './source-files.ts';

const numbered = (part: number, count: number) =>
  Array.from({ length: count }, (_, index) => `${part}.${index + 1}`);

const PAGES: readonly { subject: Subject; page: string; sections: readonly string[] }[] = [
  {
    subject: 'Language',
    page: 'tests/conformance/language.md',
    // Sections of the wire facts about the workflow language. A part without numbered sections counts as one.
    sections: [...numbered(1, 14), ...numbered(3, 10), '5', ...numbered(6, 7)],
  },
  {
    subject: 'HTTP',
    page: 'tests/conformance/http.md',
    // Sections of the specification of the interface.
    sections: [
      ...['1', '2', ...numbered(2, 9), '3.1', '3.2', ...numbered(4, 10)],
      ...['5', '6', '7', '8', '9'],
    ],
  },
];

// The examples of this file are no tests of a document.
const files = readSourceFiles().filter(
  ({ path }) => isTestCode(path) && !path.startsWith('tests/structure/'),
);
const differences = heldDifferently(readRepositoryFile('tests/conformance/differences.md'));

describe.each(PAGES)('$page', ({ subject, page, sections }) => {
  const holdings = [
    ...files.flatMap((file) => heldByTests(file, subject)),
    ...(subject === 'Language' ? differences : []),
  ];

  test('has rows for every section', () => {
    const held = new Set(holdings.map(({ section }) => section));
    expect(sections.filter((section) => !held.has(section))).toEqual([]);
    expect([...held].filter((section) => !sections.includes(section))).toEqual([]);
  });

  /** After a change of a mark or a title: `npx vitest run --project unit tests/structure/held-statements.test.ts -u`. */
  test('has the statements that tests hold', async () => {
    const [introduction = ''] = readRepositoryFile(page).split('\n## ', 1);
    const text = `${introduction}\n${statementTables(subject, holdings)}\n`;
    await expect(text).toMatchFileSnapshot(`../../${page}`);
  });
});

test('statements that are held differently name differences that exist', () => {
  const document = readRepositoryFile('tests/conformance/differences.md');
  expect(missingDifferences(differences, document)).toEqual([]);
});

describe('the reader of marks', () => {
  const held = (text: string) => heldByTests({ path: 'a.test.ts', text }, 'Language');

  test.each([
    ["// Language 1.2: No other key.\ntest('refuses a key', body);", 'refuses a key'],
    ["// Language 1.2: No other key.\n// Why.\n['a | b', 1],", 'a | b'],
    ["// Language 1.2: No other key.\ntest.each(['x'])('takes %s', body);", 'takes %s'],
    ["  // Language 1.2: No other key.\n])('takes %s', body);", 'takes %s'],
  ])('%j is held by %j', (text, title) => {
    expect(held(text)).toEqual([
      { section: '1.2', says: 'No other key', by: `\`a.test.ts\`: ${title}` },
    ]);
  });

  test('takes every mark above a test, and refuses one without a test', () => {
    const marks = '// Language 1.2: One.\n// Language 1.10: Two.\n';
    expect(held(`${marks}test('both', body);`).map(({ says }) => says)).toEqual(['One', 'Two']);
    expect(() => held(marks)).toThrow('No test behind "One" in a.test.ts.');
  });

  test('puts sections in their order, and all that holds a statement in one row', () => {
    const of = (section: string, says: string, by: string) => ({ section, says, by });
    const tables = statementTables('Language', [
      of('1.10', 'B', 'x'),
      of('1.2', 'A', 'y'),
      of('1.10', 'B', 'z | w'),
    ]);
    expect(tables.split('\n').slice(0, 6)).toEqual([
      '## 1. Workflows',
      '',
      '| Section | Statement | Held by |',
      '|---|---|---|',
      '| 1.2 | A | y |',
      '| 1.10 | B | x<br>z &#124; w |',
    ]);
  });

  test('takes the marks of differences, and misses one that is in no row and no list under its heading', () => {
    const document =
      '# D\n\n## Runs\n\n| Subject | Why |\n|---|---|\n| Masks | x |\n\n<!-- Language 1.2: A. See: Masks -->\n\n## Not served\n\n- Insights of\n';
    expect(heldDifferently(document)).toEqual([
      {
        section: '1.2',
        says: 'A',
        by: '[Runs](differences.md#runs): Masks',
        heading: 'Runs',
        subject: 'Masks',
      },
    ]);
    const of = (heading: string, subject: string) =>
      missingDifferences([{ heading, subject }], document).length;
    expect(of('Runs', 'Masks')).toBe(0);
    expect(of('Not served', 'Insights')).toBe(0);
    expect(of('Runs', 'Mask')).toBe(1);
    expect(of('Scripts', 'Masks')).toBe(1);
    expect(of('Not served', 'Masks')).toBe(1);
  });
});
