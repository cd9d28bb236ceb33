/** tests/conformance/http.md against the sources and the tests that it names. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OPEN, readClauses, statedOpen } from './conformance.ts';
import { ROOT, readRepositoryFile } from './source-files.ts';
import { missingTests } from './test-names.ts';

/** Sections of the specification; parts without numbered sections count as one. */
const SECTIONS = [
  ...['1', '2', '2.1', '2.2', '2.3', '2.4', '2.5', '2.6', '2.7', '2.8', '2.9', '3.1', '3.2'],
  ...['4.1', '4.2', '4.3', '4.4', '4.5', '4.6', '4.7', '4.8', '4.9', '4.10'],
  ...['5', '6', '7', '8', '9'],
];

describe('tests/conformance/http.md', () => {
  const document = readRepositoryFile('tests/conformance/http.md');
  const clauses = readClauses(document);
  const isThere = (path: string) => existsSync(join(ROOT, path));

  test('has rows for every section of the specification, in its order', () => {
    expect([...new Set(clauses.map(({ section }) => section))]).toEqual(SECTIONS);
  });

  test('says each clause once', () => {
    const shownBy = clauses.map(({ section, says }) => `${section} ${says}`);
    expect(shownBy.filter((clause, index) => shownBy.indexOf(clause) !== index)).toEqual([]);
  });

  test('names a source for each clause that is not open, and sources that exist', () => {
    const unfounded = clauses.filter(({ sources, tests }) => tests !== OPEN && sources.length < 1);
    expect(unfounded).toEqual([]);
    const named = new Set(clauses.flatMap(({ sources }) => sources));
    expect([...named].filter((path) => !isThere(path))).toEqual([]);
  });

  test('names tests that exist', () => {
    const tests = clauses.flatMap((each) => (each.tests === OPEN ? [] : each.tests));
    const read = (path: string) => (isThere(path) ? readRepositoryFile(path) : null);
    expect(missingTests(tests, read)).toEqual([]);
  });

  test('counts its open rows', () => {
    expect(statedOpen(document)).toBe(clauses.filter(({ tests }) => tests === OPEN).length);
  });
});

describe('the reader of the table', () => {
  test('takes sources, tests and open rows', () => {
    const table = [
      '| Section | Clause | Implemented in | Tested in |',
      '|---|---|---|---|',
      '| 4.2 | Says OK | `a.ts`, `b.ts` | `a.test.ts`: group > says OK<br>`b.test.ts`: a, b |',
      '| 9 | Nothing yet | | open |',
    ];
    expect(readClauses(table.join('\n'))).toEqual([
      {
        section: '4.2',
        says: 'Says OK',
        sources: ['a.ts', 'b.ts'],
        tests: [
          { path: 'a.test.ts', titles: ['group', 'says OK'] },
          { path: 'b.test.ts', titles: ['a, b'] },
        ],
      },
      { section: '9', says: 'Nothing yet', sources: [], tests: 'open' },
    ]);
  });

  test.each(['| 4.2 | Says OK | `a.ts` |', '| x | y | `a.ts` | open |', '| 1 | y | | maybe |'])(
    'refuses %s',
    (row) => {
      expect(() => readClauses(row)).toThrow();
    },
  );
});
