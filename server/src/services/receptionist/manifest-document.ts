/** The workflow of a request before it is checked: JSON or YAML. */
import { OrchestratorError } from '@tutti/manifests';
import { isJsonType, readDocument, type SourceDocument } from '../../http/documents.ts';
import { decodeText, parseJson } from '../../http/json.ts';

const YAML_TYPE = /^(?:application|text)\/(?:x-|vnd\.)?yaml\s*(?:;|$)/i;

/** Reads a whole request body; a body without a content type counts as YAML. Throws `UnsupportedMediaType`. */
export function readManifestBody(contentType: string | undefined, body: Buffer): SourceDocument {
  if (isJsonType(contentType)) {
    return { value: parseJson(body), lineOf: null };
  }
  if (contentType === undefined || YAML_TYPE.test(contentType)) {
    return readDocument(decodeText(body, 'The workflow'));
  }
  throw new OrchestratorError(
    'UnsupportedMediaType',
    `A workflow has the content type application/json, application/x-yaml or multipart/form-data, not ${contentType}.`,
  );
}
