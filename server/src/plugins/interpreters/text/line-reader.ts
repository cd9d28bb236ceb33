/** A reader of reports in which each line is a fact. */
import type { FormatReader } from '../format-reader.ts';

export interface LineHandler {
  /** Handles a line without its end. If the line is too long, `line` is its beginning. */
  line(line: string, isCut: boolean): void;
  end(): void;
  /** Releases held-back cases, for a report that cannot be read to its end. */
  abandon(): void;
}

export function createLineReader(handler: LineHandler, lengthMax: number): FormatReader {
  let rest = '';
  let isCut = false;
  let lines = 0;
  const add = (piece: string): void => {
    const room = lengthMax - rest.length;
    if (piece.length > room) isCut = true;
    if (room > 0) rest += piece.slice(0, room);
  };
  const give = (): void => {
    const line = rest.endsWith('\r') ? rest.slice(0, -1) : rest;
    const wasCut = isCut;
    rest = '';
    isCut = false;
    lines += 1;
    handler.line(line, wasCut);
  };
  return {
    write(text) {
      let at = 0;
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', at)) {
        add(text.slice(at, end));
        at = end + 1;
        give();
      }
      add(text.slice(at));
    },
    end() {
      if (rest !== '') give();
      handler.end();
    },
    abandon: () => handler.abandon(),
    place: () => ({ line: Math.max(1, lines), column: null }),
  };
}
