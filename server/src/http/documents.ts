/** Documents that users write, in JSON or YAML, and messages about their mistakes. */
import { countOf, isOrchestratorError, messages, OrchestratorError } from '@tutti/manifests';
import { DOCUMENT_LIMITS, type ProblemPlace, withHint } from '@tutti/manifests/documents';
import { sentence } from '../runtime/sentence.ts';
import {
  type FlawedYamlDocument,
  findYaml,
  type OtherMistakes,
  parseYaml,
  type YamlDocument,
} from '../runtime/yaml-document.ts';
import { decodeText, parseJson } from './json.ts';
import { formatPath, formatProblem, invalidDocument, type Problem, shownOf } from './validate.ts';

export interface SourceDocument {
  readonly value: unknown;
  /** Place of a problem in the text; null without a text, or if it is too long to search. */
  placeOf(place: ProblemPlace): PlaceInText | null;
}

export interface PlaceInText {
  readonly line: number;
  readonly column: number;
  /** `line 4`; of JSON, which is mostly one line, `line 1, column 87`. */
  readonly text: string;
}

/** Lists the problems with the values of a document. */
export type Explain = (value: unknown) => readonly Problem[];

const NOTHING: Explain = () => [];

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
/** Also plain text, the type of YAML files for clients that do not know YAML. */
const YAML_TYPE = /^(?:(?:application|text)\/(?:[\w.-]+\+|x-|vnd\.)?yaml|text\/plain)\s*(?:;|$)/i;

/**
 * Reads the body of a request with a document. A JSON content type requires JSON (`BadRequest`). YAML, or no content type, allows
 * both (`Invalid`). Others are refused with `UnsupportedMediaType`, since a form changes the text. `contentType` is empty if
 * absent; `what` is the document, with its article; `explain` as for `readDocument`.
 */
export function readTypedDocument(
  contentType: string,
  body: Buffer,
  what: string,
  explain?: Explain,
): SourceDocument {
  if (JSON_TYPE.test(contentType)) {
    return jsonDocument(body);
  }
  if (contentType === '' || YAML_TYPE.test(contentType)) {
    return readDocument(decodeText(body, what), explain);
  }
  throw new OrchestratorError(
    'UnsupportedMediaType',
    messages.documentTypeUnknown(what, contentType),
  );
}

/**
 * Reads YAML, which includes JSON. The YAML parser is a hundred times slower, so text that looks like JSON is parsed as JSON
 * first. If both fail, authors of JSON get the JSON error. Problems that `explain` finds in refused but readable YAML are
 * reported, too.
 */
export function readDocument(text: string, explain: Explain = NOTHING): SourceDocument {
  const parse = () => yamlDocument(parseYaml(text, (flawed) => mistakesOf(flawed, explain)));
  if (!/^\s*\{/.test(text)) return parse();
  const read = asJson(text);
  if (!isOrchestratorError(read)) return read;
  try {
    return parse();
  } catch (error) {
    const isNoYaml = isOrchestratorError(error) && error.reason === 'Invalid';
    throw isNoYaml && isMalformedJson(text, read) ? jsonMistake(read) : error;
  }
}

/** Maps in braces are YAML as well, but hardly anyone puts their keys in quotes there. */
const isMalformedJson = (text: string, { cause }: OrchestratorError): boolean =>
  cause instanceof SyntaxError && /^\s*\{\s*(?:"|$)/.test(text);

/** Authors of YAML get this mistake like any other. */
const jsonMistake = ({ message, cause }: OrchestratorError): OrchestratorError =>
  new OrchestratorError('Invalid', message, { cause, details: { error: message } });

function yamlDocument({ value, spanOf }: YamlDocument): SourceDocument {
  const placeOf = (place: ProblemPlace): PlaceInText => {
    const { line, column } = spanOf(place);
    return { line, column, text: `line ${line}` };
  };
  return { value, placeOf };
}

/** The YAML reader finds places in JSON, when a problem needs one. */
function jsonDocument(content: Buffer | string): SourceDocument {
  const value = parseJson(content, {
    exactIntegers: true,
    valuesMax: DOCUMENT_LIMITS.valuesRead,
  });
  let found: YamlDocument | null | undefined;
  return {
    value,
    placeOf: (place) => {
      if (found === undefined) found = placesOfJson(content);
      if (found === null) return null;
      const { line, column } = found.spanOf(place);
      return { line, column, text: `line ${line}, column ${column}` };
    },
  };
}

function placesOfJson(content: Buffer | string): YamlDocument | null {
  const text = typeof content === 'string' ? content : decodeText(content, 'The document');
  return findYaml(text, { lengthMax: DOCUMENT_LIMITS.jsonPlaced });
}

function asJson(text: string): SourceDocument | OrchestratorError {
  try {
    return jsonDocument(text);
  } catch (error) {
    if (isOrchestratorError(error)) return error;
    throw error;
  }
}

function mistakesOf(flawed: FlawedYamlDocument, explain: Explain): OtherMistakes {
  const document = yamlDocument(flawed);
  const problems = explain(flawed.value).filter((problem) => !flawed.isUnsure(problem));
  const shown = problems.slice(0, PLACED_MAX).map((problem) => {
    const { line, column } = flawed.spanOf(problem);
    return { text: locatedProblem(problem, document.placeOf(problem)), line, column };
  });
  return { shown, moreCount: problems.length - shown.length };
}

/** Finding a place takes time; beyond this number, the first problem in the text may be missing from the list. */
const PLACED_MAX = 4 * DOCUMENT_LIMITS.problemsMax;

/** `Invalid` with the problems in the order of the text, each with its path, and with its known place. */
function refusedDocument(
  message: string,
  document: SourceDocument,
  problems: readonly Problem[],
): OrchestratorError {
  return invalidDocument(message, locatedProblems(document, problems), problems.length);
}

const locatedProblems = (
  document: SourceDocument,
  problems: readonly Problem[],
): readonly string[] =>
  problems
    .slice(0, PLACED_MAX)
    .map((problem) => ({ problem, place: document.placeOf(problem) }))
    .toSorted(({ place: left }, { place: right }) => order(left, right))
    .map(({ problem, place }) => locatedProblem(problem, place));

/** Warnings about an accepted document, in the order of the text; their limit is that of mistakes. */
export function warningTexts(
  document: SourceDocument,
  warnings: readonly Problem[],
): readonly string[] {
  if (warnings.length === 0) return [];
  const { shown, moreCount } = shownOf(locatedProblems(document, warnings), warnings.length);
  return [...shown, ...(moreCount > 0 ? [`... and ${countOf(moreCount, 'more warning')}`] : [])];
}

function order(left: PlaceInText | null, right: PlaceInText | null): number {
  if (left === null || right === null) return 0;
  return left.line - right.line || left.column - right.column;
}

/** The text of a problem with its path and its known place. */
export function locatedProblem(problem: Problem, place: PlaceInText | null): string {
  return place === null ? formatProblem(problem) : `${formatProblem(problem)} (${place.text})`;
}

/** `Not a valid {kind}: ...` with the first problem and the number of the others; `details.error` has all of them. */
export function wrongDocument(
  kind: string,
  document: SourceDocument,
  problems: readonly Problem[],
): OrchestratorError {
  const [first] = problems
    .slice(0, 1)
    .map((problem) => locatedProblem(problem, document.placeOf(problem)));
  const text = `Not a valid ${kind}: ${first}${moreThanOne(problems)}`;
  return refusedDocument(sentence(text), document, problems);
}

/**
 * The message is the sentence of the first problem, word for word as readers may know it. A problem in a piece of text, such as
 * an expression, also gets its place.
 */
export function contradictoryDocument(
  document: SourceDocument,
  problems: readonly [Problem, ...Problem[]],
): OrchestratorError {
  const [first] = problems;
  const words =
    first.piece === undefined
      ? first.message
      : `${withHint(first.message, first.hint)}${placeOfPiece(document, first)}`;
  return refusedDocument(sentence(`${words}${moreThanOne(problems)}`), document, problems);
}

function placeOfPiece(document: SourceDocument, problem: Problem): string {
  const place = document.placeOf(problem);
  return ` (${[formatPath(problem.path), ...(place === null ? [] : [place.text])].join(', ')})`;
}

const moreThanOne = ({ length }: readonly Problem[]): string =>
  length > 1 ? ` (and ${length - 1} more)` : '';
