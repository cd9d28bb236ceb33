/** Publications of a server as they pass, over one connection. */
import { isRecord, type JsonRecord } from './documents.ts';
import type { Selection } from './resource-list.ts';
import { type ServerSentEvent, streamMessages } from './server-sent-events.ts';
import { watchSilence } from './silence.ts';
import type { Answer, Transport } from './transport.ts';
import { UnreachableError } from './unreachable-error.ts';

export type PublicationItem =
  /** The subscription is open: from now on no publication is missed. */
  | { readonly type: 'open' }
  | { readonly type: 'publication'; readonly publication: JsonRecord }
  /** So many passed faster than they were read. */
  | { readonly type: 'missed'; readonly count: number };

/** A stream that says nothing for so long may have died without a sign: servers say something every 20 seconds. */
const SILENCE_MS_MAX = 60_000;

/** Publications as they come. The stream ends when the connection ends or falls silent. Throws what `Transport.send` throws. */
export async function* watchPublications(
  transport: Transport,
  { fieldSelector, labelSelector }: Selection,
  signal?: AbortSignal,
): AsyncGenerator<PublicationItem, void, undefined> {
  const silence = new AbortController();
  const either = signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]);
  const watch = watchSilence(SILENCE_MS_MAX, () => silence.abort());
  try {
    const response = await transport.send({
      path: '/publications',
      query: { fieldSelector, labelSelector },
      headers: { accept: 'text/event-stream' },
      signal: either,
      limitTime: false,
    });
    checkStream(response);
    yield { type: 'open' };
    yield* readItems(response, either, watch.heard);
  } catch (error) {
    if (!silence.signal.aborted || signal?.aborted === true) throw error;
  } finally {
    watch.end();
    silence.abort();
  }
}

function checkStream({ headers, url }: Answer): void {
  if (headers.get('content-type')?.startsWith('text/event-stream') === true) return;
  throw new UnreachableError(url, 'answer', 'answered without a stream of publications');
}

async function* readItems(
  response: Answer,
  signal: AbortSignal,
  onData: () => void,
): AsyncGenerator<PublicationItem, void, undefined> {
  for await (const message of streamMessages(response, signal, onData)) {
    const item = itemOf(response.url, message);
    if (item !== null) yield item;
  }
}

/** Null for messages that this client does not know. */
function itemOf(url: string, { event, data }: ServerSentEvent): PublicationItem | null {
  const value = parsed(url, data);
  if (!isRecord(value)) return null;
  if (event === 'publication') return { type: 'publication', publication: value };
  return event === 'missed' ? { type: 'missed', count: Number(value.count) } : null;
}

function parsed(url: string, data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new UnreachableError(url, 'answer', 'sent an event that is no JSON document', cause);
  }
}
