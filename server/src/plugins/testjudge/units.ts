/** Writes the tests of a report as their tool wants them, so that it runs these alone. */
import type { ChannelOs, TestUnit } from '@tutti/manifests';
import type { ReportedTest } from './reported-test.ts';
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

const WRITERS: Readonly<Record<TestUnit, WriteUnit>> = {
  pytest: pytestUnit,
  junit: junitUnit,
  robot: robotUnit,
  go: goUnit,
  cargo: cargoUnit,
  phpunit: phpunitUnit,
  cucumber: cucumberUnit,
};

export const writerOf = (unit: TestUnit): WriteUnit => WRITERS[unit];

/** A script that chooses tests is for other shells alone, or `mvn` cannot get the words there. */
const NOT_ON_WINDOWS: ReadonlySet<TestUnit> = new Set(['go', 'cucumber']);

export const isSelectable = (unit: TestUnit, os: ChannelOs): boolean =>
  os !== 'windows' || !NOT_ON_WINDOWS.has(unit);

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
