/** A problem of a document and its place. A path in the values gives the place in the text. */

export type DocumentPath = readonly (string | number)[];

/** A part of a text, in characters. */
export interface TextPiece {
  /** Counted from 0. */
  readonly at: number;
  readonly length: number;
}

export interface ProblemPlace {
  readonly path: DocumentPath;
  /** The key that the problem is about, in the map at that path: for instance an unknown key. */
  readonly key?: string;
  /** The part of the text at that path. */
  readonly piece?: TextPiece;
}

export interface Problem extends ProblemPlace {
  readonly message: string;
  /** The most likely correction: `did you mean "runs-on"?`. */
  readonly hint?: string;
  /** Keys that the map at that path lacks; any one of them would do. Empty where it has too many. No existing value is wrong then. */
  readonly missing?: readonly string[];
  /** The missing key that `key` most likely means. No other problem reports that key as missing then. */
  readonly meant?: string;
  /** The known key that `key` most likely means, also where the map has that one, too. */
  readonly nearest?: string;
  /** The heading of the reference with more details, if it is not that of the place: `contexts`. */
  readonly topic?: string;
  /** The document is accepted all the same, as existing servers accept it. */
  readonly isWarning?: true;
}

export interface SortedProblems {
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
}

export function sortProblems(problems: readonly Problem[]): SortedProblems {
  return {
    errors: problems.filter(({ isWarning }) => isWarning !== true),
    warnings: problems.filter(({ isWarning }) => isWarning === true),
  };
}

/** `jobs.build.steps[0]: must have ...`; problems of the whole document have no path. */
export function formatProblem(problem: Problem): string {
  const path = formatPath(problem.path);
  const text = withHint(problem.message, problem.hint);
  return path === '' ? text : `${path}: ${text}`;
}

/** The message and the hint as one text. */
export function withHint(message: string, hint: string | null = null): string {
  if (hint === null) return message;
  return /[.?!]$/.test(message)
    ? `${message} ${hint.charAt(0).toUpperCase()}${hint.slice(1)}`
    : `${message}, ${hint}`;
}

const PLAIN_KEY = /^[\w-]+$/;

export function formatPath(path: DocumentPath): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    if (!PLAIN_KEY.test(key)) return `${text}[${JSON.stringify(key)}]`;
    return text === '' ? key : `${text}.${key}`;
  }, '');
}
