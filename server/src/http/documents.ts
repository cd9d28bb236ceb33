/** Documents that people write, in JSON or YAML, and what is told of their mistakes. */
import { isOrchestratorError, messages, OrchestratorError } from '@tutti/manifests';
import { DOCUMENT_LIMITS } from '@tutti/manifests/documents';
import { sentence } from '../runtime/sentence.ts';
import { parseYaml, type YamlDocument } from '../runtime/yaml-document.ts';
import { decodeText, parseJson } from './json.ts';
import { formatProblem, invalidDocument, type Problem } from './validate.ts';

type PlaceArguments = Parameters<YamlDocument['lineOf']>;

export interface SourceDocument {
  readonly value: unknown;
  /** The line of a value, or of a key of it; null for JSON, which is mostly written by machines. */
  readonly lineOf: ((...place: PlaceArguments) => number) | null;
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
    return { value: parseJson(body), lineOf: null };
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
 * first; if it is none, the YAML reader says what is wrong with it.
 */
export function readDocument(text: string): SourceDocument {
  return (/^\s*\{/.test(text) ? asJson(text) : null) ?? parseYaml(text);
}

function asJson(text: string): SourceDocument | null {
  try {
    return { value: parseJson(text), lineOf: null };
  } catch (error) {
    if (isOrchestratorError(error)) return null;
    throw error;
  }
}

/** `Invalid` with the problems, each with its path, and with its line where the document has lines. */
export function refusedDocument(
  message: string,
  document: SourceDocument,
  problems: readonly Problem[],
): OrchestratorError {
  // To find a line takes time, so it is looked for only if it is told.
  const told = problems.slice(0, DOCUMENT_LIMITS.problemsTold);
  const texts = told.map((problem) => locatedProblem(document, problem));
  return invalidDocument(message, texts, problems.length);
}

function locatedProblem({ lineOf }: SourceDocument, problem: Problem): string {
  const text = formatProblem(problem);
  if (lineOf === null) return text;
  return `${text} (line ${lineOf(problem.path, problem.key, problem.piece)})`;
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
