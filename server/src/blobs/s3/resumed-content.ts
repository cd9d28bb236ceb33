/** Content of an object, read on where a connection broke or fell silent. */
import { Readable } from 'node:stream';
import { type Patience, pauseWithin } from './bucket-client.ts';

export interface ContentSource extends Patience {
  /** The answer that is there already. */
  readonly first: Readable;
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** Asks for the rest of the same object. */
  readonly rest: (start: number) => Promise<Readable>;
  /** Makes an error for the reader. */
  readonly failed: (error: unknown) => Error;
}

/** Rejects when no further content came for as long as the patience lasts. */
export function resumedContent(source: ContentSource): Readable {
  const reading = { body: source.first };
  const content = Readable.from(chunksOf(source, reading), { objectMode: false });
  // A generator that never began has no end of its own.
  content.once('close', () => reading.body.destroy());
  return content;
}

async function* chunksOf(
  source: ContentSource,
  reading: { body: Readable },
): AsyncGenerator<Uint8Array, void, undefined> {
  let at = source.start;
  let tries = 0;
  let untilMs = 0;
  for (;;) {
    try {
      for await (const chunk of reading.body) {
        at += chunk.length;
        tries = 0;
        yield chunk;
      }
      if (at >= source.end) return;
      throw new Error('The answer of the bucket was cut.');
    } catch (error) {
      if (at >= source.end) return;
      if (tries === 0) untilMs = performance.now() + source.patienceMs;
      tries += 1;
      await pauseWithin(tries, untilMs, source.closing).catch(() => {
        throw source.failed(error);
      });
    }
    reading.body = await source.rest(at).catch((error: unknown) => {
      throw source.failed(error);
    });
  }
}
