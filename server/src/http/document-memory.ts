/**
 * The memory of JSON documents, from before their parsing to the end of their requests. A parsed document may take twenty times
 * its size.
 */
import { OrchestratorError } from '@tutti/manifests';
import type { FastifyRequest } from 'fastify';
import { ByteGate } from '../runtime/byte-gate.ts';
import { type MemoryBounds, memoryBounds } from '../runtime/memory-bounds.ts';
import { tenantOf } from './holder.ts';
import { jsonHeapBytes, jsonSize } from './json-heap.ts';
import { whenClosed } from './when-closed.ts';

declare module 'fastify' {
  interface FastifyInstance {
    documentMemory: DocumentMemory;
  }
  interface FastifyRequest {
    /** Keys of objects and items of lists in its JSON document; 0 if it is small. */
    documentValues: number;
  }
}

/** Smaller bodies are not counted: a connection takes more memory than such a document. */
const LOOKED_AT_BYTES = 4 * 1024;
/** Longer than the largest documents take, so that waiting posts of existing agents are not lost. */
const WAIT_MS = 60_000;

export interface DocumentMemory {
  /**
   * Waits until there is room for the document of this request. Throws `PayloadTooLarge` beyond the limit of one document,
   * `ServiceUnavailable` after the timeout. Octets are no document, and take no more than their size.
   */
  enter(request: FastifyRequest, content: Uint8Array, isOctets?: boolean): Promise<void>;
}

export function createDocumentMemory({
  document,
  documents,
}: Pick<MemoryBounds, 'document' | 'documents'>): DocumentMemory {
  const what = 'documents that were sent';
  const gate = new ByteGate({
    bytesMax: documents,
    shareMax: documents / 2,
    waitMs: WAIT_MS,
    what,
  });
  return {
    async enter(request, content, isOctets = false) {
      if (content.length < LOOKED_AT_BYTES) return;
      const tenant = tenantOf(request);
      const { bytes, values } = isOctets
        ? { bytes: content.length, values: 0 }
        : await jsonSize(tenant, content);
      if (bytes > document) throw tooLarge(document);
      request.documentValues = values;
      const held = await gate.enter(tenant, bytes);
      whenClosed(request.answer, () => held.leave());
    },
  };
}

/** Checks the memory that a document in a form needs. */
export function requireMemory(text: string): void {
  if (text.length < LOOKED_AT_BYTES) return;
  const { document } = memoryBounds();
  if (jsonHeapBytes(Buffer.from(text)) > document) throw tooLarge(document);
}

const tooLarge = (max: number): OrchestratorError =>
  new OrchestratorError(
    'PayloadTooLarge',
    `The document would take more than ${max} bytes of memory, which is a quarter of what the server has. Divide it.`,
  );
