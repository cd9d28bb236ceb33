/** Writes the tests of compiled languages and of Robot Framework, PHP and Cucumber for their tools. */
import type { ReportedTest } from './units.ts';

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

/** The long name of a test as a pattern: of its suites, as the folders and files have it, and its own. */
export function robotUnit({ suite, name }: ReportedTest): string | null {
  // A failed suite has its own name as that of its case.
  if (suite === null || suite === name || isCut(suite) || isCut(name)) return null;
  return `${suite}.${name}`.replace(/[[*?]/g, '[$&]');
}

/** The server shortens names, and has other signs for what cannot be shown. */
const isCut = (name: string): boolean => /[…\ufffd]/.test(name);
