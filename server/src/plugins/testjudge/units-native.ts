/** Writes the tests of compiled languages and of Robot Framework, PHP and Cucumber for their tools. */
import type { ReportedTest } from './selection.ts';

const JAVA_WORD = /^[\p{L}\p{Nl}\p{Sc}\p{Pc}][\p{L}\p{Nl}\p{Sc}\p{Pc}\p{Mn}\p{Mc}\p{Nd}]*$/u;
/** Classes that Failsafe runs. Surefire would run them too, if it were asked for them. */
const FAILSAFE_CLASS = /^IT|IT$|ITCase$/;

/**
 * `package.Class#method`, for Surefire. Its cases have the name `method(Type)[1]`, `method{Type}[1]` or `method[1]`. Features of
 * Cucumber have no package, so they are not taken for classes.
 */
export function junitUnit({ suite, name }: ReportedTest): string | null {
  const words = suite?.split('.') ?? [];
  const [method = '', opening] = name.split(/([([{])/, 2);
  if (words.length < 2 || ![...words, method].every((word) => JAVA_WORD.test(word))) return null;
  const [outerClass = ''] = (words.at(-1) ?? '').split('$');
  if (FAILSAFE_CLASS.test(outerClass)) return null;
  // Java reads other characters of a command line as its locale says. Surefire takes `?` for any one.
  const unit = `${suite}#${method}`.replace(/[^\0-\x7f]/g, '?');
  // JUnit 4 has the parameters in the name of the method.
  return opening === '[' ? `${unit},${unit}[*]` : unit;
}

/** The long name of a test, with those of its suites, as a pattern. */
export function robotUnit({ suite, name }: ReportedTest): string | null {
  // A failed suite has its own name as that of its case.
  if (suite === null || suite === name) return null;
  return `${suite}.${name}`.replace(/[[*?]/g, '[$&]');
}

/** A package, a blank, and a pattern of which each part is for a level of subtests. Blanks in names are `_`. */
export function goUnit({ suite, name }: ReportedTest): string | null {
  if (suite === null || !/^[\w./~+-]+$/.test(suite) || suite === 'command-line-arguments')
    return null;
  // A package that could not be built has its own name as that of its case.
  if (name === suite || /\s/.test(name)) return null;
  return `${suite} ^${escaped(name).replaceAll('/', '$/^')}$`;
}

/** A filterset of cargo-nextest: the program with the tests, as its class has it, and the path of the test. */
export function cargoUnit({ suite, name }: ReportedTest): string | null {
  if (suite === null || !PROGRAM.test(suite) || !TEST_PATH.test(name)) return null;
  return `(binary_id(=${suite}) & test(=${name}))`;
}

/** `package`, `package::file` or `package::bin/name`. */
const PROGRAM = /^[\w-]+(?:::[\w/-]+)?$/;
/** Words of Rust; other harnesses may have signs that filtersets know. */
const TEST_PATH = /^[\p{L}\p{N}\p{M}_:#]+$/u;

/** A pattern of `Class::method with data set "name"`. The report has dots between the words of a class. */
export function phpunitUnit({ suite, name }: ReportedTest): string | null {
  if (suite === null || !PHP_CLASS.test(suite) || !PHP_TEST.test(name)) return null;
  const test = escaped(`${suite.replaceAll('.', '\\')}::${name}`).replaceAll('/', '\\/');
  // The server has one blank for many.
  return test.replaceAll(' ', '\\s+');
}

const PHP_CLASS = /^[\w\u0080-\uffff]+(?:\.[\w\u0080-\uffff]+)*$/;
const PHP_TEST = /^[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*(?: with data set (?:#\d+|".*"))?$/;

/** The file of a scenario as a URI, and its line. Examples are counted in a report, so an example needs its whole file. */
export function cucumberUnit({ name, file }: ReportedTest): string | null {
  if (file === null || !/^[^,?\ufffd…]+:\d+$/.test(file)) return null;
  const place = / - Example #\d+$/.test(name) ? file.slice(0, file.lastIndexOf(':')) : file;
  // Java reads other characters of a command line as its locale says.
  return place.replace(/[^\0-\x7f]/gu, encodeURIComponent);
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
