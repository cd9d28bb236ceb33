/** Reading of a stream of server-sent events (`text/event-stream`). */
import { type Answer, attempt } from './transport.ts';

/** More than any event of a run may have. A stream that goes on without an end of line is not read into memory. */
export const MESSAGE_LENGTH_MAX = 16 * 1024 * 1024;

export interface ServerSentEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

interface ServerSentEventParser {
  /** Takes the next piece of text, cut anywhere, and gives the messages that are complete now. */
  push(text: string): readonly ServerSentEvent[];
}

interface Message {
  id: string | null;
  event: string;
  data: string[];
}

const emptyMessage = (): Message => ({ id: null, event: 'message', data: [] });

/** Makes a parser of event streams. It throws RangeError when a message grows beyond `MESSAGE_LENGTH_MAX`. */
export function createServerSentEventParser(): ServerSentEventParser {
  let rest = '';
  let length = 0;
  let message = emptyMessage();

  function endMessage(): ServerSentEvent | null {
    const { id, event, data } = message;
    message = emptyMessage();
    length = 0;
    // Comments that keep the connection alive end in an empty line too.
    return data.length === 0 ? null : { id, event, data: data.join('\n') };
  }

  function takeLine(line: string): ServerSentEvent | null {
    if (line === '') return endMessage();
    length += line.length;
    takeField(message, line);
    return null;
  }

  function push(text: string): readonly ServerSentEvent[] {
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    const messages = lines.flatMap((line) => takeLine(line) ?? []);
    if (length + rest.length > MESSAGE_LENGTH_MAX) {
      throw new RangeError('A message of the event stream is too long.');
    }
    return messages;
  }

  return { push };
}

function takeField(message: Message, line: string): void {
  const colon = line.indexOf(':');
  if (colon === 0) return;
  const name = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
  if (name === 'data') message.data.push(value);
  else if (name === 'event') message.event = value;
  else if (name === 'id') message.id = value;
}

/** The messages of a stream, until it ends. `onData` is called for each piece of data, also for an incomplete message. */
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
