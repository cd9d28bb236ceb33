/** What is wrong with a multipart body. */
import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import { isOrchestratorError, OrchestratorError } from '@tutti/manifests';
import { refusalOf } from './errors.ts';

/** What the reader of parts would parse by itself, in its own way, and refuse with a code that says nothing of the part. */
const JSON_TYPE = 'application/json';

/** Options of the reader: all that comes is text or bytes, whatever type it declares. */
export const PART_OPTIONS = {
  isPartAFile: (
    _name: string | undefined,
    contentType: string | undefined,
    fileName: string | undefined,
  ): boolean =>
    fileName !== undefined ||
    contentType === 'application/octet-stream' ||
    contentType?.startsWith(JSON_TYPE) === true,
};

/** True for a part that has no file name, also if the reader gives it as a file because of its type. */
export const isField = (part: MultipartFile | MultipartValue): boolean =>
  part.type === 'field' || (part.filename === undefined && part.mimetype.startsWith(JSON_TYPE));

/** The reader of parts reports a malformed body as a plain error. */
export function multipartRefusal(error: unknown): unknown {
  const refusal = refusalOf(error);
  const isOfReader =
    error instanceof Error &&
    !('code' in error) &&
    /multipart|boundary|part |unexpected end/i.test(error.message);
  if (isOrchestratorError(refusal) || !isOfReader) return refusal;
  return new OrchestratorError(
    'BadRequest',
    `Not a valid multipart/form-data body: ${error.message}.`,
    { cause: error },
  );
}
