/** Reads multipart bodies and explains their errors. */
import type { Readable } from 'node:stream';
import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import { isOrchestratorError, OrchestratorError } from '@tutti/manifests';
import type { FastifyRequest } from 'fastify';
import { refusalOf } from './errors.ts';
import { hasOverrun, isUnreadableName } from './part-names.ts';

/** The multipart reader would parse this type itself, and refuse it with a code that does not name the part. */
const JSON_TYPE = 'application/json';

/** RFC 2046, 5.1.1. */
const BOUNDARY_LENGTH_MAX = 70;
const BOUNDARY = /;\s*boundary=(?:"([^"]*)"|([^;\s]*))/i;

type PartsOptions = Parameters<FastifyRequest['parts']>[0];

type Part = MultipartFile | MultipartValue;

/**
 * The parts of a request, as they arrive. All parts count as memory, except those that `passing` accepts. Throws `BadRequest` for
 * an invalid boundary. Throws `PayloadTooLarge` for too many characters in fields: they stay in memory until the request ends,
 * even unknown ones.
 */
export async function* partsOf(
  request: FastifyRequest,
  options: PartsOptions,
  fieldsLengthMax: number,
): AsyncGenerator<Part> {
  const [, quoted, plain] = BOUNDARY.exec(request.headers['content-type'] ?? '') ?? [];
  if ((quoted ?? plain ?? '').length > BOUNDARY_LENGTH_MAX) throw longBoundary();
  const { raw, incoming } = request;
  if (incoming !== null) {
    const lease = incoming.lease();
    const count = (chunk: Buffer): void => {
      try {
        lease.take(chunk.length);
      } catch (error) {
        raw.off('data', count);
        raw.emit('error', error);
      }
    };
    raw.on('data', count);
  }
  let length = 0;
  for await (const part of request.parts(options)) {
    if (part.type === 'field') length += part.fieldname.length + String(part.value).length;
    if (length > fieldsLengthMax) throw tooManyFields(fieldsLengthMax);
    yield part;
  }
}

const tooManyFields = (lengthMax: number): OrchestratorError =>
  new OrchestratorError(
    'PayloadTooLarge',
    `The fields of a request may have ${lengthMax} bytes at most in all.`,
  );

/** The content of a part that does not stay in memory. */
export async function* passing(
  { incoming }: FastifyRequest,
  content: Readable,
): AsyncGenerator<Uint8Array> {
  const lease = incoming?.lease();
  for await (const chunk of content) {
    lease?.give(chunk.length);
    yield chunk;
  }
}

/** Drops the content of a part. */
export function dropPart({ incoming }: FastifyRequest, content: Readable): void {
  const lease = incoming?.lease();
  content.on('data', (chunk: Buffer) => lease?.give(chunk.length));
}

const longBoundary = (): OrchestratorError =>
  new OrchestratorError(
    'BadRequest',
    `Not a valid multipart/form-data body: its boundary has more than ${BOUNDARY_LENGTH_MAX} characters.`,
  );

/** Settings for reading the parts of one request. */
export interface PartReading {
  /** Options of the reader: all that comes is text or bytes, whatever type it declares. */
  readonly options: { readonly isPartAFile: typeof isFile };
  /** Translates an error of the reader into a refusal; other errors come back unchanged. */
  refusalOf(error: unknown): unknown;
}

export function partReading(): PartReading {
  let unreadable: string | null = null;
  return {
    options: {
      isPartAFile: (name, contentType, fileName) => {
        // The reader does not name the part that it refuses, so the name is recorded here.
        if (name !== undefined && isUnreadableName(name)) unreadable ??= name;
        return isFile(name, contentType, fileName);
      },
    },
    refusalOf: (error) =>
      unreadable !== null && isOfUnreadableName(error)
        ? unreadableName(unreadable, error)
        : multipartRefusal(error),
  };
}

const isFile = (
  name: string | undefined,
  contentType: string | undefined,
  fileName: string | undefined,
): boolean =>
  fileName !== undefined ||
  contentType === 'application/octet-stream' ||
  contentType?.startsWith(JSON_TYPE) === true ||
  (name !== undefined && hasOverrun(name));

/** The intended one of two parts with one name is unknown. */
export const repeatedPart = (name: string): OrchestratorError =>
  new OrchestratorError('Invalid', `The part "${name}" is there more than once.`);

/** True for a part that has no file name. The reader may give it as a file because of its type. */
export const isField = (part: Part): boolean =>
  part.type === 'field' ||
  (part.filename === undefined &&
    part.mimetype.startsWith(JSON_TYPE) &&
    !hasOverrun(part.fieldname));

const isOfUnreadableName = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'FST_PROTO_VIOLATION';

const unreadableName = (name: string, cause: unknown): OrchestratorError =>
  new OrchestratorError(
    'BadRequest',
    `The form has a part named "${name}", a name that no part may have. Leave it out, or name it otherwise.`,
    { cause },
  );

/** The reader of parts reports a malformed body as a plain error. */
function multipartRefusal(error: unknown): unknown {
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
