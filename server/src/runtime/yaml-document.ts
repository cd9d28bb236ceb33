/** Reads YAML from outside, and refuses what is no YAML. */
import { createRequire } from 'node:module';
import { OrchestratorError } from '@tutti/manifests';
import {
  DOCUMENT_LIMITS,
  readYaml,
  type YamlDocument,
  type YamlLibrary,
  type YamlLimits,
  type YamlProblem,
} from '@tutti/manifests/documents';

export type { YamlDocument } from '@tutti/manifests/documents';

// Loaded when the first document comes: 30 ms and 14 MiB that a server without work does not need.
const loadYaml = () => createRequire(import.meta.url)('yaml') as YamlLibrary;

/**
 * Reads one YAML 1.2 document (JSON is one too). Throws `Invalid` with line and column of the first problem, and with all of
 * them as `details.error`; `PayloadTooLarge` for a document that is too large.
 */
export function parseYaml(text: string, limits?: YamlLimits): YamlDocument {
  const reading = readYaml(loadYaml(), text, limits);
  if (reading.ok) return reading.document;
  throw refusal(reading.problems);
}

/** The same without a refusal: null for what is no YAML, or too large. */
export function findYaml(text: string, limits?: YamlLimits): YamlDocument | null {
  const reading = readYaml(loadYaml(), text, limits);
  return reading.ok ? reading.document : null;
}

function refusal(problems: readonly YamlProblem[]): OrchestratorError {
  const [first] = problems;
  if (first?.isTooLarge === true) return new OrchestratorError('PayloadTooLarge', first.message);
  const texts = problems.slice(0, DOCUMENT_LIMITS.problemsTold).map(textOf);
  const rest = problems.length - texts.length;
  const more = rest > 0 ? [`... and ${rest} more problems`] : [];
  const details = { error: [...texts, ...more].join('\n') };
  return new OrchestratorError('Invalid', `Not a valid YAML document: ${texts[0]}`, { details });
}

function textOf({ message, span }: YamlProblem): string {
  return span === null ? `${message}.` : `${message} (line ${span.line}, column ${span.column}).`;
}
