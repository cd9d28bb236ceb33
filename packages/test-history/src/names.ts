/** Names of tests that change: from run to run, or because a test moved. */
import type { TestIdentity } from './identity.ts';

/** Maps names of a suite to one name. Operators write them, so the patterns are trusted. */
export interface NameRule {
  readonly suite: RegExp;
  readonly match: RegExp;
  readonly replace: string;
}

type Named = Pick<TestIdentity, 'suite' | 'name'>;

/** The name under which a test is known. Rules apply one after the other. */
export const stableName = ({ suite, name }: Named, rules: readonly NameRule[]): string =>
  rules.reduce(
    (text, rule) =>
      suite.search(rule.suite) === -1 ? text : text.replace(rule.match, rule.replace),
    name,
  );

/** The names of one suite in a run. New ones were never seen before. Names of the run before may be gone. */
export interface SuiteNames {
  readonly suite: string;
  readonly names: readonly string[];
  readonly appeared: readonly string[];
  readonly gone: readonly string[];
}

export interface NameWarning {
  readonly suite: string;
  readonly example: string;
  /** The name with `#` for each id and number. */
  readonly pattern: string;
}

const UNSTABLE_SHARE = 0.5;
const IDS =
  /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|\b(?=[a-f]*\d)[\da-f]{8,}\b|\d+(?:[.:_-]\d+)*/gi;

/**
 * Names have ids, times or ports in them if two signs come together. Half of the names of a suite are new. Each of these is that of a
 * test that is gone, but for digits and ids. Null for other suites.
 */
export function nameWarning({ suite, names, appeared, gone }: SuiteNames): NameWarning | null {
  const [example] = appeared;
  if (example === undefined || appeared.length < UNSTABLE_SHARE * names.length) return null;
  const patternsGone = new Set(gone.map(patternOf));
  if (!appeared.every((name) => patternsGone.has(patternOf(name)))) return null;
  return { suite, example, pattern: patternOf(example) };
}

const patternOf = (name: string): string => name.replace(IDS, '#');

export interface Move<T> {
  readonly from: T;
  readonly to: T;
}

/** Tests that went to another suite. One is gone, and one appeared in the same run. No third one has their technology and name. */
export function movedTests<T extends Named & Pick<TestIdentity, 'technology'>>(
  gone: readonly T[],
  appeared: readonly T[],
): readonly Move<T>[] {
  const [from, to] = [Map.groupBy(gone, keyOf), Map.groupBy(appeared, keyOf)];
  return [...from].flatMap(([key, [before, ...others]]) => {
    const [after, ...more] = to.get(key) ?? [];
    const isUnique = others.length === 0 && more.length === 0;
    return before && after && isUnique && before.suite !== after.suite
      ? [{ from: before, to: after }]
      : [];
  });
}

const keyOf = ({ technology, name }: Pick<TestIdentity, 'technology' | 'name'>): string =>
  JSON.stringify([technology, name]);
