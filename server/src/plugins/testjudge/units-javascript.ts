/** Selections of tests for tools of JavaScript. */
import type { ReportedTest, SelectTests } from './units.ts';

/** A file that a step writes may have 64 Ki characters. */
const FILE_LENGTH_MAX = 60_000;

const inFile = (units: readonly (string | null)[]): readonly string[] | null => {
  const written = units.filter((unit) => unit !== null);
  const isWhole = written.length === units.length;
  return isWhole && written.join('\n').length <= FILE_LENGTH_MAX ? written : null;
};

/** Lines of `--test-list`: `[project] › file › titles`. */
export const playwrightTests: SelectTests = ({ wanted, others }) => {
  // A line of a suite also selects the tests in it.
  const isSuite = ({ suite, name }: ReportedTest) =>
    others.some((other) => other.suite === suite && other.name.startsWith(`${name} › `));
  return wanted.some(isSuite) ? null : inFile(wanted.map(playwrightLine));
};

/** The suite of a test is its file, behind the name of its project. */
function playwrightLine({ suite, name }: ReportedTest): string | null {
  if (suite === null) return null;
  const end = suite.lastIndexOf(' > ');
  const file = suite.slice(end < 0 ? 0 : end + ' > '.length);
  const project = end < 0 ? [] : [`[${suite.slice(0, end)}]`];
  const parts = [...project, file, ...name.split(' › ')];
  // Playwright cuts at the sign alone, and takes blanks away.
  const isExact = parts.every((part) => part !== '' && part.trim() === part && !part.includes('›'));
  return isExact && !/^[#[]/.test(file) ? parts.join(' › ') : null;
}
