/** Reads request bodies into `request.body` (see `routes.ts`): bounded, and parsed by our own code alone. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { OrchestratorError } from '@tutti/manifests';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LIMITS } from '../runtime/limits.ts';
import type { BodyLease } from './body-memory.ts';
import type { DocumentTasks } from './document-tasks.ts';
import { GatheredBody } from './gathered-body.ts';
import { tenantOf } from './holder.ts';
import type { IncomingBody } from './incoming-bodies.ts';
import { parseJson } from './json.ts';
import { parseLargeJson } from './json-tasks.ts';

/** JSON, related types (`application/merge-patch+json`), and no content type. */
const JSON_TYPE = /^(?:application\/(?:[\w.-]+\+)?json|text\/json)?\s*(?:;.*)?$/i;
/** Default content types of clients. The specification asks for JSON, not for a content type. */
const UNDECLARED_TYPE = /^(?:application\/x-www-form-urlencoded|text\/plain)\s*(?:;.*)?$/i;

const OCTETS_TYPE = /^application\/octet-stream\s*(?:;.*)?$/i;

/** True for a body that is bytes instead of a document. Only routes of `json-or-octets` take one. */
export const hasOctets = ({ headers, routeOptions }: FastifyRequest): boolean =>
  routeOptions.config.body === 'json-or-octets' && OCTETS_TYPE.test(headers['content-type'] ?? '');

export function registerBodyParsers(
  app: FastifyInstance,
  documents: Pick<DocumentTasks, 'run'>,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    if (request.method === 'DELETE') {
      // The path says it all; some clients send a content type, or anything, with it.
      payload.resume();
      return undefined;
    }
    const { 'content-encoding': encoding = 'identity' } = request.headers;
    if (!/^(?:identity)?$/i.test(encoding)) throw encoded(encoding);
    const mode = request.routeOptions.config.body ?? 'json';
    if (mode === 'stream') return payload;
    const isOctets = hasOctets(request);
    if (mode !== 'bytes' && !isOctets) checkJsonType(request.headers['content-type'] ?? '');
    const content = await readBody(request, payload);
    await app.documentMemory.enter(request, content, isOctets);
    if (mode !== 'json') return content;
    const asker = { what: 'The request body', share: tenantOf(request) };
    return await parseLargeJson(documents, content, asker);
  });
  // A body without a document is not parsed.
  app.addHook('preValidation', (request, _reply, done) => {
    if (isWithoutDocument(request)) parseJson('');
    done();
  });
}

const DOCUMENT_METHODS = new Set(['PATCH', 'POST', 'PUT']);

function isWithoutDocument({ body, method, routeOptions, is404 }: FastifyRequest): boolean {
  const isDocument = (routeOptions.config.body ?? 'json').startsWith('json');
  return body === undefined && isDocument && !is404 && DOCUMENT_METHODS.has(method);
}

const encoded = (encoding: string): OrchestratorError =>
  new OrchestratorError(
    'UnsupportedMediaType',
    `Content encoding ${encoding} is not supported here, send the body as it is.`,
  );

function checkJsonType(contentType: string): void {
  if (JSON_TYPE.test(contentType) || UNDECLARED_TYPE.test(contentType)) return;
  throw new OrchestratorError(
    'UnsupportedMediaType',
    `Content type ${contentType} is not supported here, use application/json.`,
  );
}

const tooLarge = (bytesMax: number): OrchestratorError =>
  new OrchestratorError('PayloadTooLarge', `A request body may have ${bytesMax} bytes at most.`);

async function readBody(request: FastifyRequest, payload: Readable): Promise<Buffer> {
  const bytesMax = request.routeOptions.bodyLimit ?? 0;
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  return readBounded(payload, () => tooLarge(bytesMax), bytesMax, request.incoming);
}

/**
 * The whole content of a stream; throws `refusal` beyond `bytesMax` bytes. `incoming` counts the bytes of bodies in several
 * pieces. A single piece needs no count: it is no larger than the buffer of any connection.
 */
export function readBounded(
  stream: Readable,
  refusal: () => Error,
  bytesMax: number,
  incoming: IncomingBody | null = null,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // The form broke off while an earlier part was stored; no event would follow.
    if (stream.destroyed) return reject(stream.errored ?? incomplete());
    const reader = new BodyReader(stream, bytesMax, incoming);
    const fail = (error: Error): void => {
      stream.off('data', onData);
      reader.free();
      // The rest of the body is dropped, so that the sender can read the answer.
      stream.resume();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      try {
        if (!reader.take(chunk)) fail(refusal());
      } catch (error) {
        fail(error as Error);
      }
    };
    // Every stream closes in the end; creating an error for each would cost more than reading a small body.
    const onClose = (): void => fail(incomplete());
    stream.on('data', onData);
    stream.once('error', fail);
    stream.once('close', onClose);
    stream.once('end', () => {
      stream.off('close', onClose);
      resolve(reader.content);
    });
  });
}

interface Gathered {
  readonly body: GatheredBody;
  readonly lease: BodyLease | null;
}

class BodyReader {
  readonly #stream: Readable;
  readonly #bytesMax: number;
  readonly #incoming: IncomingBody | null;
  #first: Buffer | null = null;
  #size = 0;
  /** Set from the second piece on. */
  #rest: Gathered | null = null;

  constructor(stream: Readable, bytesMax: number, incoming: IncomingBody | null) {
    this.#stream = stream;
    this.#bytesMax = bytesMax;
    this.#incoming = incoming;
  }

  /** False for a body that is too large; throws if there is no room. */
  take(chunk: Buffer): boolean {
    this.#size += chunk.length;
    if (this.#size > this.#bytesMax) return false;
    if (this.#first === null) {
      this.#first = chunk;
      return true;
    }
    if (this.#rest === null) this.#rest = this.#gather(this.#first);
    this.#add(this.#rest, chunk);
    return true;
  }

  get content(): Buffer {
    return this.#rest?.body.content ?? this.#first ?? Buffer.alloc(0);
  }

  free(): void {
    this.#rest?.body.free();
    this.#rest = null;
    this.#first = null;
  }

  #gather(first: Buffer): Gathered {
    const rest = { body: new GatheredBody(), lease: this.#incoming?.lease() ?? null };
    this.#add(rest, first);
    return rest;
  }

  #add({ body, lease }: Gathered, chunk: Buffer): void {
    const hasRoom = lease?.take(chunk.length) ?? true;
    body.add(chunk);
    if (hasRoom) return;
    this.#stream.pause();
    lease?.whenRoom(() => this.#stream.resume());
  }
}

const incomplete = (): OrchestratorError =>
  new OrchestratorError('BadRequest', 'The request body ended too early.');

/**
 * Reads and drops the rest of a refused body. Closing the connection while its sender still writes would lose the answer.
 * Resolves when the body has ended, or is too large or slow to wait for.
 */
export function dropRest(request: IncomingMessage): Promise<void> {
  const announced = Number(request.headers['content-length'] ?? 0);
  const isOver = request.complete || request.readableEnded || request.destroyed;
  if (isOver || announced > LIMITS.droppedBodyBytes) {
    return Promise.resolve();
  }
  return new Promise((resolve) => {
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > LIMITS.droppedBodyBytes) done();
    };
    const done = (): void => {
      clearTimeout(timer);
      request.off('data', onData);
      resolve();
    };
    const timer = setTimeout(done, LIMITS.droppedBodySeconds * 1000);
    request.once('end', done).once('close', done).on('data', onData).resume();
  });
}
