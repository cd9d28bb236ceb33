/** Writes the tests of a report as their tool wants them, so that it runs these alone. */
import type { ChannelOs, TestUnit } from '@tutti/manifests';
import {
  cucumberTests,
  jestTests,
  mochaTests,
  nodeTests,
  playwrightTests,
  vitestTests,
} from './units-javascript.ts';

/** A test as its report names it. */
export interface ReportedTest {
  readonly suite: string | null;
  readonly name: string;
  /** Where the report has it apart. */
  readonly file: string | null;
}

/** Null for a test that the tool cannot select. */
type WriteUnit = (test: ReportedTest) => string | null;

interface AskedTests {
  readonly wanted: readonly ReportedTest[];
  /** The other tests of the step that ran. None of them may run again. */
  readonly others: readonly (ReportedTest & { readonly hasFailed: boolean })[];
  readonly os: ChannelOs;
}

/** Words that make the tool run the wanted tests alone; null where no words do. */
export type SelectTests = (asked: AskedTests) => readonly string[] | null;

/** One word for each test. */
const eachTest =
  (write: WriteUnit): SelectTests =>
  ({ wanted }) => {
    const units = wanted.map(write);
    const written = units.filter((unit) => unit !== null);
    return written.length < units.length ? null : [...new Set(written)];
  };

const SELECTORS: Readonly<Record<TestUnit, SelectTests>> = {
  pytest: eachTest(pytestUnit),
  playwright: playwrightTests,
  jest: jestTests,
  vitest: vitestTests,
  mocha: mochaTests,
  'cucumber-js': cucumberTests,
  'node-test': nodeTests,
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
