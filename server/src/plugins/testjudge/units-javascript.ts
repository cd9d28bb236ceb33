/** Selections of tests for tools of JavaScript. */
import type { ReportedTest, SelectTests } from './selection.ts';

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

const isIn = (file: string, end: string): boolean => file === end || file.endsWith(`/${end}`);

/** Titles of a test of which the suites are those around it. Outside of suites, the suite is the file. */
function isOutside({ suite }: ReportedTest, file: string): boolean {
  return suite !== null && isIn(file.replaceAll('\\', '/'), suite.replace(/^\.\//, ''));
}

/** Lines of JSON for `tutti-mocha-tests.cjs`, which compares files and titles. */
export const mochaTests: SelectTests = ({ wanted }) => inFile(wanted.map(mochaLine));

function mochaLine(test: ReportedTest): string | null {
  const { suite, name, file } = test;
  // A hook that fails is no test.
  const isHook = /^"(?:before|after) (?:all|each)" hook/.test(name);
  if (suite === null || file === null || isHook) return null;
  if (!isOutside(test, file)) return JSON.stringify({ file, suites: [suite], name });
  // A report without the other files of that name has another suite.
  const isAlone = suite === file.split(/[\\/]/).at(-1);
  return isAlone ? JSON.stringify({ file, suites: [suite, ''], name }) : null;
}

const escaped = (text: string): string =>
  text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll(' ', '\\s+');

/** A test of a tool that takes files, and one pattern of titles for all of them. */
interface TitledTest {
  readonly file: string;
  /** With the titles of the suites around it. */
  readonly title: string;
  /** The part of the pattern that finds it. */
  readonly source: string;
}

/** `isTaken` says whether the tool also takes the other file when it is asked for the first. */
function titledTests(
  titledOf: (test: ReportedTest) => TitledTest | null,
  isTaken: (wanted: string, other: string) => boolean,
): SelectTests {
  return ({ wanted, others, os }) => {
    const tests = wanted.map(titledOf).filter((test) => test !== null);
    // Scripts of cmd cannot get a pattern with "^".
    if (tests.length < wanted.length || os === 'windows') return null;
    const files = [...new Set(tests.map(({ file }) => file))];
    const titles = new Set(tests.map(({ title }) => title.toLowerCase()));
    const runsAlso = (other: ReportedTest) => {
      // Tests of one name in several files have no file.
      const test = titledOf({ ...other, file: other.file ?? '' });
      if (test === null || !titles.has(test.title.toLowerCase())) return false;
      return test.file === '' || files.some((file) => isTaken(file, test.file));
    };
    if (others.some(runsAlso)) return null;
    const pattern = `^\\s*(?:${tests.map(({ source }) => source).join('|')})\\s*$`;
    return [`--testNamePattern=${pattern}`, ...files.map(notAnOption)];
  };
}

const notAnOption = (file: string): string => (file.startsWith('-') ? `./${file}` : file);

export const jestTests = titledTests(
  (test) => {
    const { suite, name, file } = test;
    if (suite === null || file === null) return null;
    if (!isOutside(test, file)) {
      return { file, title: `${suite} ${name}`, source: escaped(`${suite} ${name}`) };
    }
    return { file, title: name, source: `(?:${escaped(suite)}\\s+)?${escaped(name)}` };
  },
  (wanted, other) => wanted === other,
);

/** Its report has the file as the suite. Before version 3 there was a blank between titles. */
const vitestTitles = titledTests(
  ({ suite, name }) => {
    if (suite === null || suite === name || !/\.[cm]?[jt]sx?$/.test(suite)) return null;
    const titles = name.split(' > ');
    const source = titles.map(escaped).join('(?: > | )');
    return { file: suite, title: titles.join(' '), source };
  },
  (wanted, other) => other.toLowerCase().includes(wanted.toLowerCase()),
);

export const vitestTests: SelectTests = (asked) => {
  const { wanted, others } = asked;
  // A hook that fails has the name of its suite.
  const isSuite = ({ suite, name }: ReportedTest) =>
    others.some((other) => other.suite === suite && other.name.startsWith(`${name} > `));
  return wanted.some(isSuite) ? null : vitestTitles(asked);
};

/** Titles that a scenario may have by itself. Its report joins them with those of rules, outlines and examples. */
function scenarioTitles(name: string): readonly string[] {
  const [, around, own] = /^(?:(.*) - )?#\d+\.\d+(?:: (.+))?$/.exec(name) ?? [];
  if (own !== undefined) return [own];
  const parts = (around ?? name).split(' - ');
  const ends = around === undefined ? [parts.length] : parts.map((_, index) => index + 1);
  return ends.flatMap((end) =>
    parts.slice(0, end).map((_, at) => parts.slice(at, end).join(' - ')),
  );
}

/**
 * A pattern of titles. It goes with the file `@tutti-rerun.txt` of Cucumber, which has the lines of all that failed. A configuration may
 * add files to it.
 */
export const cucumberTests: SelectTests = ({ wanted, others, os }) => {
  const features = new Map<string, Set<string | null>>();
  for (const { suite, name } of wanted) {
    for (const title of scenarioTitles(name)) {
      features.set(title, (features.get(title) ?? new Set()).add(suite));
    }
  }
  const runsAlso = ({ suite, name, hasFailed }: (typeof others)[number]) =>
    scenarioTitles(name).some((title) => {
      const asked = features.get(title);
      return asked !== undefined && (hasFailed || !asked.has(suite));
    });
  // Scripts of cmd cannot get a pattern with "^".
  if (os === 'windows' || others.some(runsAlso)) return null;
  return [`^\\s*(?:${[...features.keys()].map(escaped).join('|')})\\s*$`];
};

const partsOf = (suite: string | null): readonly string[] => suite?.split(/ > |\./) ?? [];

/** Node joins the titles of suites with dots since version 22, and so do we with another sign before. A title may have dots, too. */
function nodeSuites({ suite }: ReportedTest): readonly string[] {
  const parts = partsOf(suite);
  const ranges = parts.flatMap((_, end) =>
    parts.slice(0, end + 1).map((__, at) => parts.slice(at, end + 1)),
  );
  return ranges.flatMap((range) => [range.join('.'), range.join(' ')]);
}

const fullTitle = ({ suite, name }: ReportedTest): string => [...partsOf(suite), name].join(' ');

/** Node finds a test by its own title, or with those around it. A pattern is for all files: reports need not have them. */
export const nodeTests: SelectTests = ({ wanted, others }) => {
  const titles = new Set(wanted.flatMap((test) => [test.name, fullTitle(test)]));
  // A suite that is found runs as a whole.
  const runsAlso = (other: ReportedTest) =>
    [other.name, fullTitle(other), ...nodeSuites(other)].some((title) => titles.has(title));
  if (others.some(runsAlso)) return null;
  return wanted.map((test) => {
    const around = partsOf(test.suite).map((part) => `${escaped(part)}[ .]`);
    return `^\\s*(?:${around.join('')})?${escaped(test.name)}\\s*$`;
  });
};
