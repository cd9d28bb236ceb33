/** The bytes of an attachment as they come (specification 4.8). */

import { type SilenceWatch, watchSilence } from './silence.ts';
import { type Answer, attempt, type Transport } from './transport.ts';
import { UnreachableError } from './unreachable-error.ts';

export interface AttachmentContent {
  /** In bytes; null where the server does not say. */
  readonly size: number | null;
  /** Rejects with `UnreachableError` where fewer or more bytes come than there should be. */
  readonly chunks: AsyncGenerator<Uint8Array, void, undefined>;
}

/** A connection that brings nothing for so long is dead. */
const SILENCE_MS_MAX = 60_000;

/** Opens the content of an attachment. Throws the refusal of the server. */
export async function openAttachment(
  transport: Transport,
  path: string,
  signal?: AbortSignal,
): Promise<AttachmentContent> {
  const silence = new AbortController();
  const either = signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]);
  const watch = watchSilence(SILENCE_MS_MAX, () => silence.abort());
  try {
    const request = { path, headers: { accept: '*/*' }, signal: either, limitTime: false };
    const response = await transport.send(request);
    const size = sizeOf(response);
    return { size, chunks: chunksOf(response, size, signal, watch) };
  } catch (error) {
    watch.end();
    if (silence.signal.aborted) throw new UnreachableError(path, 'connection', 'no answer in time');
    throw error;
  }
}

/** Null where the bytes come in another coding than the one that the length is of. */
function sizeOf({ headers }: Answer): number | null {
  const length = headers.get('content-length');
  return length === null || headers.has('content-encoding') ? null : Number(length);
}

async function* chunksOf(
  response: Answer,
  size: number | null,
  signal: AbortSignal | undefined,
  watch: SilenceWatch,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = response.body?.getReader();
  let received = 0;
  try {
    for (;;) {
      const read = reader && (await attempt(response.url, signal, () => reader.read()));
      if (read === undefined || read.done) break;
      watch.heard();
      received += read.value.length;
      yield read.value;
    }
  } finally {
    watch.end();
    await reader?.cancel().catch(() => {});
  }
  if (size === null || size === received) return;
  throw new UnreachableError(response.url, 'answer', `sent ${received} of ${size} bytes`);
}
