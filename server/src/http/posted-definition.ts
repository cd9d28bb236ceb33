/** Definitions that come in a request: as its body, or as a file of a multipart form (specification 4.9, 4.10). */
import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import { isOrchestratorError, OrchestratorError } from '@tutti/manifests';
import type { FastifyRequest } from 'fastify';
import { LIMITS } from '../runtime/limits.ts';
import { readBounded } from './bodies.ts';
import { readTypedDocument, type SourceDocument } from './documents.ts';
import { dropPart, type PartReading, partReading, partsOf, repeatedPart } from './multipart.ts';

export interface PostedDefinition {
  /** The part that has it, in a multipart form. */
  readonly part: string;
  /** Largest size that is read. */
  readonly bytesMax: number;
}

/**
 * Reads JSON or YAML, by the content type of the body. Throws `Invalid` for what cannot be parsed, and for a form without the
 * part, `UnsupportedMediaType` for other types. The route has bodies as `bytes`.
 */
export async function readPostedDefinition(
  request: FastifyRequest,
  posted: PostedDefinition,
): Promise<SourceDocument> {
  if (request.isMultipart()) return parsed(await readPart(request, posted), '');
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  return parsed(body, request.headers['content-type'] ?? '');
}

function parsed(content: Buffer, contentType: string): SourceDocument {
  try {
    return readTypedDocument(contentType, content, 'The definition');
  } catch (cause) {
    if (!isOrchestratorError(cause) || cause.reason !== 'BadRequest') throw cause;
    // The request is well formed, its definition is not.
    throw new OrchestratorError('Invalid', cause.message, { cause });
  }
}

async function readPart(request: FastifyRequest, posted: PostedDefinition): Promise<Buffer> {
  const reading = partReading();
  let content: Buffer | null = null;
  try {
    for await (const part of partsOf(request, formLimits(posted, reading))) {
      if (part.fieldname !== posted.part) {
        if (part.type === 'file') dropPart(request, part.file);
      } else if (content === null) content = await readContent(part, posted);
      else throw repeatedPart(posted.part);
    }
  } catch (error) {
    // What still comes is dropped, so that the sender gets to read the answer.
    request.raw.unpipe();
    request.raw.resume();
    throw reading.refusalOf(error);
  }
  if (content === null) {
    throw new OrchestratorError('Invalid', `The part "${posted.part}" is missing.`);
  }
  return content;
}

function formLimits({ bytesMax }: PostedDefinition, { options }: PartReading) {
  return {
    ...options,
    // Bounded where it is read, with a message that says so.
    throwFileSizeLimit: false,
    limits: { fieldSize: bytesMax, fileSize: bytesMax + 1, parts: LIMITS.multipartParts },
  };
}

async function readContent(
  part: MultipartFile | MultipartValue,
  { part: name, bytesMax }: PostedDefinition,
): Promise<Buffer> {
  const refusal = () =>
    new OrchestratorError(
      'PayloadTooLarge',
      `The part "${name}" may have ${bytesMax} bytes at most.`,
    );
  if (part.type === 'file') return await readBounded(part.file, refusal, bytesMax);
  const text = String(part.value);
  if (part.valueTruncated || text.length > bytesMax) throw refusal();
  return Buffer.from(text);
}
