/** What is wrong with a multipart body. */
import { isOrchestratorError, OrchestratorError } from '@tutti/manifests';
import { refusalOf } from './errors.ts';

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
