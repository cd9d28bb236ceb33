/** Test cases for people, and their number. The columns are those of existing clients (client facts 3.7). */
import { countOf } from '@tutti/manifests';
import { cleanLine } from '@tutti/run-view/text';
import { failureLines, failureOf, placeOf } from '../run-view/failed-tests.ts';
import { createTableWriter } from '../terminal/table.ts';
import { type Outcome, readTestCase, type ShownTestCase } from './shown-test-case.ts';
import { noTestCases, type TestCaseFormat } from './test-case-format.ts';

const TITLES = ['NAME', 'TECHNOLOGY', 'OUTCOME', 'DURATION'];
const WIDE_TITLES = [...TITLES, 'RUNS_ON', 'JOB', 'STATE'];

/** `showsFailures`: place and message stand below each failed test case. */
export function createTableFormat(isWide: boolean, showsFailures = false): TestCaseFormat {
  const linesOf = createTableWriter(isWide ? WIDE_TITLES : TITLES);
  const counts: Record<Outcome, number> = { success: 0, failure: 0, error: 0, skipped: 0 };
  let total = 0;
  return {
    begin: () => '',
    items(items) {
      if (items.length === 0) return '';
      const testCases = items.map(readTestCase);
      for (const { test } of testCases) counts[test.outcome] += 1;
      total += testCases.length;
      const rows = linesOf(testCases.map((one) => rowOf(one, isWide)));
      const titles = rows.length - testCases.length;
      const lines = rows.flatMap((row, index) => {
        const testCase = testCases[index - titles];
        return testCase === undefined || !showsFailures ? [row] : [row, ...belowRow(testCase)];
      });
      return `${lines.join('\n')}\n`;
    },
    end: () => (total === 0 ? '' : `\n${summaryOf(total, counts)}\n`),
    emptyText: noTestCases,
  };
}

function rowOf(
  { metadata, test, history, execution, isFlaked }: ShownTestCase,
  isWide: boolean,
): readonly string[] {
  const row = [
    metadata.name,
    test.technology,
    isFlaked ? 'flaked' : test.outcome,
    `${Math.round(execution.duration)} ms`,
  ];
  const more = [
    test['runs-on'].join(','),
    test.job,
    `${history?.state ?? ''}${test.quarantined === true ? ', quarantined' : ''}`,
  ];
  return (isWide ? [...row, ...more] : row).map(cleanLine);
}

function belowRow({ execution }: ShownTestCase): readonly string[] {
  const details = failureOf(execution);
  return [...placeOf(details).map((place) => `    ${place}`), ...failureLines(details)];
}

function summaryOf(total: number, counts: Readonly<Record<Outcome, number>>): string {
  const parts = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`);
  return `${countOf(total, 'test case')}: ${parts.join(', ')}.`;
}
