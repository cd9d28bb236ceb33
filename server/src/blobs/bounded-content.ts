/** Content from outside, with an end to its size and to waiting for it. */
import { OrchestratorError } from '@tutti/manifests';

/**
 * Passes chunks on. Throws `PayloadTooLarge` when there are more than `sizeMax` bytes. Throws the signal's reason on abort, also between
 * two chunks. A source that is left early is closed.
 */
export async function* boundedContent(
  content: AsyncIterable<Uint8Array>,
  sizeMax: number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const source = content[Symbol.asyncIterator]();
  let size = 0;
  let isAtEnd = false;
  try {
    for (;;) {
      const next = await unlessAborted(source, signal);
      isAtEnd = next.done === true;
      if (next.done === true) return;
      size += next.value.byteLength;
      if (size > sizeMax) throw tooLarge(sizeMax);
      yield next.value;
    }
  } finally {
    // A source that hangs would also hang here, so nobody waits; its errors come too late to matter.
    if (!isAtEnd) source.return?.().catch(() => undefined);
  }
}

/**
 * The next chunk, or the signal's reason as soon as there is one. Each wait has a promise of its own: one for all of them would
 * remember every chunk that came.
 */
function unlessAborted<T>(
  source: AsyncIterator<T>,
  signal?: AbortSignal,
): Promise<IteratorResult<T>> {
  if (signal === undefined) return source.next();
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const forget = () => signal.removeEventListener('abort', abort);
    source.next().then(resolve, reject).finally(forget);
  });
}

function tooLarge(sizeMax: number): OrchestratorError {
  return new OrchestratorError('PayloadTooLarge', `The content is larger than ${sizeMax} bytes.`);
}
