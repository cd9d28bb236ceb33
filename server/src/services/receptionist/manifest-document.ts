/** The workflow of a request before it is checked: JSON or YAML. */
import { isOrchestratorError, OrchestratorError } from '@tutti/manifests';
import { decodeText, parseJson } from '../../http/json.ts';
import type { Problem } from '../../http/validate.ts';
import { parseYaml } from '../../runtime/yaml-document.ts';

export interface ManifestDocument {
  readonly value: unknown;
  /** The line of a value; null for JSON, which is mostly written by machines. */
  readonly lineOf: ((path: Problem['path']) => number) | null;
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
const YAML_TYPE = /^(?:application|text)\/(?:x-|vnd\.)?yaml\s*(?:;|$)/i;

/** Reads a whole request body; a body without a content type counts as YAML. Throws `UnsupportedMediaType`. */
export function readManifestBody(contentType: string | undefined, body: Buffer): ManifestDocument {
  if (contentType !== undefined && JSON_TYPE.test(contentType)) {
    return { value: parseJson(body), lineOf: null };
  }
  if (contentType === undefined || YAML_TYPE.test(contentType)) {
    return readManifestText(decodeText(body, 'The workflow'));
  }
  throw new OrchestratorError(
    'UnsupportedMediaType',
    `A workflow has the content type application/json, application/x-yaml or multipart/form-data, not ${contentType}.`,
  );
}

/**
 * Reads YAML, of which JSON is a part. The YAML reader is a hundred times slower, so what looks like JSON is tried as that
 * first; if it is none, the YAML reader says what is wrong with it.
 */
export function readManifestText(text: string): ManifestDocument {
  return (/^\s*\{/.test(text) ? asJson(text) : null) ?? parseYaml(text);
}

function asJson(text: string): ManifestDocument | null {
  try {
    return { value: parseJson(text), lineOf: null };
  } catch (error) {
    if (isOrchestratorError(error)) return null;
    throw error;
  }
}
