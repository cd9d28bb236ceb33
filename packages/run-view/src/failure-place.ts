/** Finds the `file:line` at which a test failed, in what its report says of the failure. */
import { cleanLine } from './clean-text.ts';
import type { FailureDetails } from './failure-message.ts';

/** Files of these kinds have tests; other names with a number, such as `example.com:443`, are no places. */
const SOURCE =
  '(?:[cm]?[jt]sx?|vue|svelte|py|java|kts?|groovy|scala|cs|fs|vb|go|rs|rb|php|c|cc|cpp|cxx|hh?|hpp|mm?|swift|dart|exs?|p[lm]|t|lua|robot|resource|feature|ya?ml|sh|bats)';
/** Each path begins behind a separator and has none in it, so the search takes linear time. */
const PLACE = new RegExp(
  `(?:^|[\\s(\\['"]|file://)((?:[A-Za-z]:)?[^\\s()\\[\\]:"',]+\\.${SOURCE}):(?:line )?(\\d{1,7})\\b`,
);
const PYTHON_FRAME = /^\s*File "([^"]+\.py)", line (\d{1,7})/;
/** `at` of JavaScript, Java and .NET, `❯` of Vitest. */
const FRAME = /^\s*(?:at|❯)\s/;
/** Newman calls the scripts of a collection `sandbox-script.js`. */
const LIBRARY =
  /(?:^|[\\/])(?:node_modules|site-packages|dist-packages|vendor|gems|rustc|\.cargo|\.pyenv)[\\/]|[\\/]lib[\\/]python|^node:|^sandbox-script\.js$|^internal[\\/]|^<|[\\/]go[\\/]src[\\/]/;
const LIBRARY_FRAME =
  /^\s*at (?:[\w.@-]*\/+)*(?:javax?|jdk|sun|com\.sun|kotlin|scala|groovy|junit|org\.(?:junit|testng|hamcrest|assertj|mockito|opentest4j|apache\.maven|gradle|codehaus|spockframework))\./;

interface Place {
  readonly path: string;
  readonly line: string;
  readonly isFrame: boolean;
}

/** Null if the report names no place. Paths below a workspace are relative to it. */
export function failurePlace(
  { text = '', message = '' }: FailureDetails,
  shortPath: (path: string) => string = (path) => path,
): string | null {
  const places = `${text}\n${message}`.split(/\r?\n/).flatMap(placeIn);
  // The frame that failed comes last in Python, and first elsewhere.
  const found = places[0]?.path.endsWith('.py')
    ? places.findLast(({ path }) => path.endsWith('.py'))
    : (places.find(({ isFrame }) => isFrame) ?? places[0]);
  if (found === undefined) return null;
  return cleanLine(`${shortPath(found.path.replace(WORKSPACE, ''))}:${found.line}`);
}

function placeIn(line: string): readonly Place[] {
  const [, path, number] = PYTHON_FRAME.exec(line) ?? PLACE.exec(line) ?? [];
  if (path === undefined || number === undefined) return [];
  if (LIBRARY.test(path) || LIBRARY_FRAME.test(line)) return [];
  return [{ path, line: number, isFrame: FRAME.test(line) }];
}

/** Workspaces of jobs have an id, and do not stay. */
const WORKSPACE = /^.*[\\/][0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}[\\/]/;
