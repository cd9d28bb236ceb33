/** tests/conformance/language.md against the tests and the differences that it names. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { missingDifferences, readStatements } from './language-conformance.ts';
import { ROOT, readRepositoryFile } from './source-files.ts';
import { missingTests } from './test-names.ts';

const numbered = (part: number, count: number) =>
  Array.from({ length: count }, (_, index) => `${part}.${index + 1}`);

/** Sections of the wire facts about the workflow language; a part without numbered sections counts as one. */
const SECTIONS = [...numbered(1, 14), ...numbered(3, 10), '5', ...numbered(6, 7)];

describe('tests/conformance/language.md', () => {
  const statements = readStatements(readRepositoryFile('tests/conformance/language.md'));

  test('has rows for every section on the language, in its order', () => {
    expect([...new Set(statements.map(({ section }) => section))]).toEqual(SECTIONS);
  });

  test('says each statement once', () => {
    const shownBy = statements.map(({ section, says }) => `${section} ${says}`);
    expect(shownBy.filter((statement, index) => shownBy.indexOf(statement) !== index)).toEqual([]);
  });

  test('names tests that exist', () => {
    const tests = statements.flatMap((each) => each.tests);
    const read = (path: string) => (existsSync(join(ROOT, path)) ? readRepositoryFile(path) : null);
    expect(missingTests(tests, read)).toEqual([]);
  });

  test('names differences that exist', () => {
    const entries = statements.flatMap(({ differences }) => differences);
    expect(
      missingDifferences(entries, readRepositoryFile('tests/conformance/differences.md')),
    ).toEqual([]);
  });
});

describe('the reader of the table', () => {
  const table = (...rows: readonly string[]) =>
    ['| Section | Statement | Held by |', '|---|---|---|', ...rows].join('\n');

  test('takes tests and differences', () => {
    const held = '`a.test.ts`: a &#124; b<br>[Not served](differences.md#not-served): Insights';
    expect(readStatements(table(`| 1.2 | No other key | ${held} |`))).toEqual([
      {
        section: '1.2',
        says: 'No other key',
        tests: [{ path: 'a.test.ts', titles: ['a | b'] }],
        differences: [{ heading: 'Not served', subject: 'Insights' }],
      },
    ]);
  });

  test.each([
    '| 1.2 | No other key |',
    '| 1.2 | No other key | |',
    '| x | No other key | `a.test.ts`: a |',
    '| 1.2 | No other key | open |',
    '| 1.2 | No other key | [Runs](differences.md#scripts): Masks |',
    '| 1.2 | No other key | [Runs](conformance.md#runs): Masks |',
  ])('refuses %s', (row) => {
    expect(() => readStatements(table(row))).toThrow();
  });

  test('misses a difference that is in no row and no list under its heading', () => {
    const document =
      '# D\n\n## Runs\n\n| Subject | Why |\n|---|---|\n| Masks | x |\n\n## Not served\n\n- Insights of\n';
    const of = (heading: string, subject: string) =>
      missingDifferences([{ heading, subject }], document).length;
    expect(of('Runs', 'Masks')).toBe(0);
    expect(of('Not served', 'Insights')).toBe(0);
    expect(of('Runs', 'Mask')).toBe(1);
    expect(of('Scripts', 'Masks')).toBe(1);
    expect(of('Not served', 'Masks')).toBe(1);
  });
});
