/** The situations of docs/reference/what-happens-when.md, and the tests that hold them. */
import { expect, test } from 'vitest';
import { readRepositoryFile } from './source-files.ts';

const TESTS = 'packages/workflow/src/run/semantics.test.ts';

/** The first cells of the tables in a part of the document, as plain text. */
function situationsIn(document: string): readonly string[] {
  const begin = document.indexOf('\n## Cases\n');
  const part = document.slice(begin, document.indexOf('\n## ', begin + 1));
  return [...part.matchAll(/^\| (.*?) \|/gm)]
    .map(([, cell = '']) => cell.replaceAll('`', ''))
    .filter((cell) => cell !== 'When');
}

/** The keys of the table of scenarios. */
function scenariosIn(source: string): readonly string[] {
  const table = source.slice(source.indexOf('const rows:'));
  return [...table.matchAll(/^ {2}'([^']+)': \{$/gm)].map(([, title = '']) => title);
}

test('each row of what happens when has a test, and each test a row', () => {
  const situations = situationsIn(readRepositoryFile('docs/reference/what-happens-when.md'));
  expect(situations.length).toBeGreaterThan(30);
  expect(scenariosIn(readRepositoryFile(TESTS))).toEqual(situations);
});
