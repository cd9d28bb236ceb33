/** The bounds that sources name, as tests/conformance/limits.md shows them: entries of objects called LIMITS, and constants of files called limits.ts. */
import { titleBehind } from './held-statements.ts';
import type { SourceFile } from './source-files.ts';
import { BREAK } from './test-names.ts';

export interface NamedBound {
  readonly path: string;
  /** `BUS_LIMITS.inboxRequests`, or `BACKOFF_MS_MAX`. */
  readonly name: string;
  /** As the source has it. */
  readonly value: string;
  /** Its comment; empty where it has none. */
  readonly words: string;
}

const OBJECT = /^(?:export )?const ((?:[A-Z]+_)*LIMITS)(?:: [^=]+)? = \{\n([\s\S]*?)\n\}/gm;
const ENTRY = /(?:^ {2}\/\*\*([\s\S]*?)\*\/\n)?^ {2}(\w+): ([^\n]+),$/gm;
const CONSTANT =
  /(?:^\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^(?:export )?const ([A-Z][A-Z_]+) = ([^;{[]+);$/gm;

export function namedBounds(files: readonly SourceFile[]): readonly NamedBound[] {
  return files.flatMap(({ path, text }) => [
    ...[...text.matchAll(OBJECT)].flatMap(([, object = '', body = '']) =>
      bounds(path, body.matchAll(ENTRY), `${object}.`),
    ),
    ...(path.endsWith('/limits.ts') ? bounds(path, text.matchAll(CONSTANT), '') : []),
  ]);
}

function bounds(
  path: string,
  found: Iterable<RegExpMatchArray>,
  prefix: string,
): readonly NamedBound[] {
  return [...found].map(([, comment = '', name = '', value = '']) => ({
    path,
    name: `${prefix}${name}`,
    value: value.replace(/(?<=\d)_(?=\d)/g, ' ').trim(),
    words: wordsOf(comment),
  }));
}

const wordsOf = (comment: string): string =>
  comment
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, '').trim())
    .join(' ')
    .trim()
    .replaceAll('|', '\\|');

/** One table; the file of a bound says which part it belongs to. */
export function boundsTable(all: readonly NamedBound[]): string {
  const rows = all.map(
    ({ path, name, value, words }) => `| \`${name}\` | \`${value}\` | ${words} | \`${path}\` |`,
  );
  const head = ['| Name | Number | What it is, and why so | Source |', '|---|---|---|---|'];
  return [...head, ...rows].join('\n');
}

/** The bounds of the page for users: the first cells of its tables under "Bounds", as plain text. */
export function boundsOf(page: string): readonly string[] {
  const begin = page.indexOf('\n## Bounds\n');
  const part = page.slice(begin, page.indexOf('\n## ', begin + 1));
  return [...part.matchAll(/^\| (?!What \|)([^|]+) \|/gm)].map(([, bound = '']) =>
    bound.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'),
  );
}

const MARK = /^\s*\/\/ Bound: (.+)\.$/;

/** The bounds that tests reach, by lines such as `// Bound: Finished runs.` above them. Throws for a line without a test behind it. */
export function reachedBounds(files: readonly SourceFile[]): ReadonlyMap<string, string> {
  const found = files.flatMap(({ path, text }) => {
    const lines = text.split('\n');
    return lines.flatMap((line, index) => {
      const [, bound] = MARK.exec(line) ?? [];
      if (bound === undefined) return [];
      const title = titleBehind(lines, index);
      if (title === null) throw new Error(`No test behind the bound "${bound}" in ${path}.`);
      return [[bound, `\`${path}\`: ${title.replaceAll('|', '&#124;')}`] as const];
    });
  });
  const byBound = Map.groupBy(found, ([bound]) => bound);
  return new Map(
    [...byBound].map(([bound, tests]) => [bound, tests.map(([, test]) => test).join(BREAK)]),
  );
}
