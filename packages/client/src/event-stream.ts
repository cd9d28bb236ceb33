/** The messages of an answer that is a stream of events, as they come. */
import { createServerSentEventParser, type ServerSentEvent } from './server-sent-events.ts';
import { type Answer, attempt } from './transport.ts';

/** Ends where the stream ends. `onData` is called for each piece of data, also for an incomplete message. */
export async function* streamMessages(
  response: Answer,
  signal: AbortSignal,
  onData: () => void,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const decoder = new TextDecoder();
  const parser = createServerSentEventParser();
  for (;;) {
    const { done, value } = await attempt(response.url, signal, () => reader.read());
    if (done) return;
    onData();
    yield* parser.push(decoder.decode(value, { stream: true }));
  }
}
