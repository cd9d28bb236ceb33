/** Writes the tests of a report as their tool wants them, so that it runs these alone. */
import type { TestUnit } from '@tutti/manifests';
import type { ReportedTest, SelectTests } from './selection.ts';
import {
  cucumberTests,
  jestTests,
  mochaTests,
  nodeTests,
  playwrightTests,
  vitestTests,
} from './units-javascript.ts';
import {
  cargoUnit,
  cucumberUnit,
  goUnit,
  junitUnit,
  phpunitUnit,
  robotUnit,
} from './units-native.ts';

/** Null for a test that the tool cannot select. */
type WriteUnit = (test: ReportedTest) => string | null;

/** One word for each test. */
const eachTest =
  (write: WriteUnit): SelectTests =>
  ({ wanted }) => {
    const units = wanted.map(write);
    const written = units.filter((unit) => unit !== null);
    return written.length < units.length ? null : [...new Set(written)];
  };

/** For a script that other shells alone can run, or for words that `mvn` cannot get there. */
function exceptOnWindows(select: SelectTests): SelectTests {
  return (asked) => (asked.os === 'windows' ? null : select(asked));
}

const SELECTORS: Readonly<Record<TestUnit, SelectTests>> = {
  pytest: eachTest(pytestUnit),
  playwright: playwrightTests,
  jest: jestTests,
  vitest: vitestTests,
  mocha: mochaTests,
  'cucumber-js': cucumberTests,
  'node-test': nodeTests,
  junit: eachTest(junitUnit),
  robot: eachTest(robotUnit),
  go: exceptOnWindows(eachTest(goUnit)),
  cargo: eachTest(cargoUnit),
  phpunit: eachTest(phpunitUnit),
  cucumber: exceptOnWindows(eachTest(cucumberUnit)),
};

export const selectorOf = (unit: TestUnit): SelectTests => SELECTORS[unit];

/** `file::Class::name`. The class of a case is the module with the names of its classes: `tests.test_cart.TestCart`. */
function pytestUnit({ suite, name, file }: ReportedTest): string | null {
  if (suite === null || file === null || !file.endsWith('.py')) return null;
  const module = file.slice(0, -'.py'.length).replace(/[\\/]/g, '.');
  if (suite !== module && !suite.startsWith(`${module}.`)) return null;
  const classes = suite.slice(module.length + 1);
  const inside = [...(classes === '' ? [] : classes.split('.')), name].join('::');
  // pytest reads options and files with options from words that begin so.
  const path = /^[-@]/.test(file) ? `./${file}` : file;
  return `${path}::${inside}`;
}
