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

/** A definition as written. */
export interface DefinitionSource {
  readonly content: Uint8Array;
  /** Empty for the content of a part. */
  readonly contentType: string;
}

/**
 * Takes the definition out of a request; `readDefinition` reads it. Throws `Invalid` for a form without the part. The route has bodies
 * as `bytes`.
 */
export async function takePostedDefinition(
  request: FastifyRequest,
  posted: PostedDefinition,
): Promise<DefinitionSource> {
  if (request.isMultipart()) return { content: await readPart(request, posted), contentType: '' };
  const content = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  return { content, contentType: request.headers['content-type'] ?? '' };
}

/** Reads JSON or YAML by its content type. Throws `Invalid` for unparsable text, `UnsupportedMediaType` for other types. */
export function readDefinition({ content, contentType }: DefinitionSource): SourceDocument {
  try {
    return readTypedDocument(contentType, Buffer.from(content), 'The definition');
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
    const fieldsMax = 2 * posted.bytesMax;
    for await (const part of partsOf(request, formLimits(posted, reading), fieldsMax)) {
      if (part.fieldname !== posted.part) {
        if (part.type === 'file') dropPart(request, part.file);
      } else if (content === null) content = await readContent(part, posted);
      else throw repeatedPart(posted.part);
    }
  } catch (error) {
    // The rest of the body is dropped, so that the sender can read the answer.
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
    // The reader of the file has its own limit, with a clearer message.
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
