/** Server-sent events, gathered as they come. */
import type { Loose } from '../../support/api.ts';
import type { ServerChild } from '../../support/workbench.ts';

export interface EventStream {
  /** The documents so far. */
  readonly events: readonly Loose[];
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  close(): void;
}

/** Resolves once the server has begun to answer. */
export async function openStream(
  { url, token }: Pick<ServerChild, 'url' | 'token'>,
  path: string,
): Promise<EventStream> {
  const closing = new AbortController();
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
  const { body } = await fetch(`${url}${path}`, { headers, signal: closing.signal });
  if (body === null) throw new Error(`${path} has no stream.`);
  const events: Loose[] = [];
  const read = async () => {
    let rest = '';
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      const messages = `${rest}${text}`.split('\n\n');
      rest = messages.pop() ?? '';
      for (const message of messages) events.push(...documentIn(message));
    }
  };
  const ended = read();
  // Closing it ends it.
  ended.catch(() => undefined);
  return { events, ended, close: () => closing.abort() };
}

/** The document of a message. Messages about the stream itself have none. */
function documentIn(message: string): readonly Loose[] {
  const [, data] = /^event: (?:event|publication)\ndata: (.*)$/m.exec(message) ?? [];
  return data === undefined ? [] : [JSON.parse(data)];
}
