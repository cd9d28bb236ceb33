/** Tests of a folder that no job runs, by files of tools that there are no functions for. */
import type { Folder } from './finding.ts';

const ANY = /^/;
const TOOLS: readonly (readonly [title: string, file: RegExp, mark: RegExp])[] = [
  ['RSpec', /^\.rspec$/, ANY],
  ['Ruby', /^Rakefile$/, /TestTask/],
  ['ExUnit', /^mix\.exs$/, ANY],
  ['CTest', /^CMakeLists\.txt$/, /\benable_testing\b/],
  ['Swift', /^Package\.swift$/, /\.testTarget\b/],
  ['Dart', /^pubspec\.yaml$/, /^\s*(?:flutter_)?test:/m],
  ['sbt', /^build\.sbt$/, ANY],
  ['Bazel', /^(?:MODULE\.bazel|WORKSPACE)$/, ANY],
  ['Deno', /^deno\.jsonc?$/, ANY],
  ['tox', /^tox\.ini$/, ANY],
  ['nox', /^noxfile\.py$/, ANY],
  ['make test', /^Makefile$/, /^test:/m],
];

/** A sentence for each. */
export function unknownTests({ entries, text }: Folder, path: string): readonly string[] {
  return TOOLS.flatMap(([title, file, mark]) => {
    const name = entries.find((each) => file.test(each) && mark.test(text(each) ?? ''));
    const where = path === '' ? '' : `${path}/`;
    return name === undefined
      ? []
      : [`No job for ${title} (${where}${name}): there is no function for it.`];
  });
}
