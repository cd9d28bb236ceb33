/** Content from outside, with an end to its size and to waiting for it. */
import { OrchestratorError } from '@tutti/manifests';

/**
 * Passes chunks on. Throws `PayloadTooLarge` when there are more than `sizeMax` bytes, and the signal's reason when it is aborted,
 * also while a chunk is waited for. The source is told whenever it is left early.
 */
export async function* boundedContent(
  content: AsyncIterable<Uint8Array>,
  sizeMax: number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const source = content[Symbol.asyncIterator]();
  const abortion = createAbortion(signal);
  let size = 0;
  let isAtEnd = false;
  try {
    for (;;) {
      const next = await Promise.race([source.next(), abortion.aborted]);
      isAtEnd = next.done === true;
      if (next.done === true) return;
      size += next.value.byteLength;
      if (size > sizeMax) throw tooLarge(sizeMax);
      yield next.value;
    }
  } finally {
    abortion.forget();
    // A source that hangs would also hang here, so nobody waits; what it fails with comes too late to matter.
    if (!isAtEnd) source.return?.().catch(() => undefined);
  }
}

function createAbortion(signal: AbortSignal | undefined) {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  // The race may be over when the signal comes.
  aborted.catch(() => undefined);
  const abort = () => reject(signal?.reason);
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return { aborted, forget: () => signal?.removeEventListener('abort', abort) };
}

function tooLarge(sizeMax: number): OrchestratorError {
  return new OrchestratorError('PayloadTooLarge', `The content is larger than ${sizeMax} bytes.`);
}
