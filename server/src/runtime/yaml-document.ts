/** Reads YAML from outside, and refuses invalid YAML. */
import { createRequire } from 'node:module';
import { countOf, OrchestratorError } from '@tutti/manifests';
import {
  DOCUMENT_LIMITS,
  type FlawedYamlDocument,
  readYaml,
  type YamlDocument,
  type YamlLibrary,
  type YamlLimits,
  type YamlProblem,
} from '@tutti/manifests/documents';

export type { FlawedYamlDocument, YamlDocument } from '@tutti/manifests/documents';

// Loaded when the first document comes: 30 ms and 14 MiB that a server without work does not need.
const loadYaml = () => createRequire(import.meta.url)('yaml') as YamlLibrary;

/** Further mistakes in a refused document, as far as it can be read. */
export interface OtherMistakes {
  readonly shown: readonly MistakeInText[];
  /** Number of further mistakes beyond these. */
  readonly moreCount: number;
}

export interface MistakeInText {
  /** Without an end. */
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

/**
 * Reads one YAML 1.2 document (or JSON). Throws `Invalid` with line and column of the first problem. `details.error` has all
 * problems, including those of `explain` in the rest. Throws `PayloadTooLarge` for a document that is too large.
 */
export function parseYaml(
  text: string,
  explain: (document: FlawedYamlDocument) => OtherMistakes = () => NO_OTHERS,
): YamlDocument {
  const reading = readYaml(loadYaml(), text);
  if (reading.ok) return reading.document;
  const others = reading.document === null ? NO_OTHERS : explain(reading.document);
  throw refusal(reading.problems, others);
}

const NO_OTHERS: OtherMistakes = { shown: [], moreCount: 0 };

/** Reads YAML; null for an invalid or too large text. */
export function findYaml(text: string, limits?: YamlLimits): YamlDocument | null {
  const reading = readYaml(loadYaml(), text, limits);
  return reading.ok ? reading.document : null;
}

function refusal(problems: readonly YamlProblem[], others: OtherMistakes): OrchestratorError {
  const [first] = problems;
  if (first?.isTooLarge === true) return new OrchestratorError('PayloadTooLarge', first.message);
  const all = [...problems.map(mistakeOf), ...others.shown].toSorted(byPlace);
  const shown = all.slice(0, DOCUMENT_LIMITS.problemsMax);
  const rest = all.length - shown.length + others.moreCount;
  const more = rest > 0 ? [`... and ${countOf(rest, 'more problem')}`] : [];
  const details = { error: [...shown.map(({ text }) => text), ...more].join('\n') };
  const message = `Not a valid YAML document: ${first === undefined ? '' : mistakeOf(first).text}`;
  return new OrchestratorError('Invalid', message, { details });
}

/** A problem without a place is about the whole document. */
function mistakeOf({ message, span }: YamlProblem): MistakeInText {
  if (span === null) return { text: `${message}.`, line: 0, column: 0 };
  const { line, column } = span;
  return { text: `${message} (line ${line}, column ${column}).`, line, column };
}

const byPlace = (left: MistakeInText, right: MistakeInText): number =>
  left.line - right.line || left.column - right.column;
