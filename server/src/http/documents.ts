/** Documents that people write, in JSON or YAML, and what is told of their mistakes. */
import { isOrchestratorError, messages, OrchestratorError } from '@tutti/manifests';
import { DOCUMENT_LIMITS, type ProblemPlace } from '@tutti/manifests/documents';
import { sentence } from '../runtime/sentence.ts';
import { findYaml, parseYaml, type YamlDocument } from '../runtime/yaml-document.ts';
import { decodeText, parseJson } from './json.ts';
import { formatProblem, invalidDocument, type Problem } from './validate.ts';

export interface SourceDocument {
  readonly value: unknown;
  /**
   * Where in the text a problem is: `line 4`, of JSON `line 1, column 87`, as that is mostly one line. Null where there is no text,
   * or none that is small enough to look in.
   */
  placeOf(place: ProblemPlace): string | null;
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
/** Also plain text: that is what YAML is where nobody knows the word. */
const YAML_TYPE = /^(?:(?:application|text)\/(?:[\w.-]+\+|x-|vnd\.)?yaml|text\/plain)\s*(?:;|$)/i;

/**
 * Reads the body of a request that has a document. What says to be JSON must be JSON (`BadRequest`); YAML, and what says nothing of
 * itself, may be either (`Invalid`). Throws `UnsupportedMediaType` for the rest: what a form holds is not what its sender wrote.
 * `contentType` is empty where there is none; `what` is the document, with its article.
 */
export function readTypedDocument(contentType: string, body: Buffer, what: string): SourceDocument {
  if (JSON_TYPE.test(contentType)) {
    return jsonDocument(body);
  }
  if (contentType === '' || YAML_TYPE.test(contentType)) {
    return readDocument(decodeText(body, what));
  }
  throw new OrchestratorError(
    'UnsupportedMediaType',
    messages.documentTypeUnknown(what, contentType),
  );
}

/**
 * Reads YAML, of which JSON is a part. The YAML reader is a hundred times slower, so what looks like JSON is tried as that
 * first; if it is neither, who wrote JSON is told what is wrong with that.
 */
export function readDocument(text: string): SourceDocument {
  if (!/^\s*\{/.test(text)) return yamlDocument(parseYaml(text));
  const read = asJson(text);
  if (!isOrchestratorError(read)) return read;
  try {
    return yamlDocument(parseYaml(text));
  } catch (error) {
    const isNoYaml = isOrchestratorError(error) && error.reason === 'Invalid';
    throw isNoYaml && isMalformedJson(text, read) ? jsonMistake(read) : error;
  }
}

/** Maps in braces are YAML as well, but hardly anyone puts their keys in quotes there. */
const isMalformedJson = (text: string, { cause }: OrchestratorError): boolean =>
  cause instanceof SyntaxError && /^\s*\{\s*(?:"|$)/.test(text);

/** The place is told as it is of YAML. */
function jsonMistake({ message, cause }: OrchestratorError): OrchestratorError {
  const place = / in JSON at position \d+ \(line (\d+) column (\d+)\)/;
  const told = message.replace(place, ' (line $1, column $2)');
  return new OrchestratorError('Invalid', told, { cause });
}

function yamlDocument({ value, spanOf }: YamlDocument): SourceDocument {
  return { value, placeOf: (place) => `line ${spanOf(place).line}` };
}

/** The places of JSON are found by the reader of YAML, once somebody is to be told of one. */
function jsonDocument(content: Buffer | string): SourceDocument {
  const value = parseJson(content, { exactIntegers: true });
  let found: YamlDocument | null | undefined;
  return {
    value,
    placeOf: (place) => {
      if (found === undefined) found = placesOfJson(content);
      if (found === null) return null;
      const { line, column } = found.spanOf(place);
      return `line ${line}, column ${column}`;
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

/** `Invalid` with the problems, each with its path, and with its place where that is known. */
export function refusedDocument(
  message: string,
  document: SourceDocument,
  problems: readonly Problem[],
): OrchestratorError {
  // To find a place takes time, so it is looked for only if it is told.
  const told = problems.slice(0, DOCUMENT_LIMITS.problemsTold);
  const texts = told.map((problem) => locatedProblem(document, problem));
  return invalidDocument(message, texts, problems.length);
}

function locatedProblem(document: SourceDocument, problem: Problem): string {
  const place = document.placeOf(problem);
  return place === null ? formatProblem(problem) : `${formatProblem(problem)} (${place})`;
}

/** `Not a valid {kind}: ...` with the first problem and the number of the others; `details.error` has all of them. */
export function wrongDocument(
  kind: string,
  document: SourceDocument,
  problems: readonly Problem[],
): OrchestratorError {
  const [first] = problems.slice(0, 1).map((problem) => locatedProblem(document, problem));
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return refusedDocument(sentence(`Not a valid ${kind}: ${first}${more}`), document, problems);
}
