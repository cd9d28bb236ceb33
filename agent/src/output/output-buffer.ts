import { LINE_OVERHEAD_BYTES } from '../limits.ts';
import type { OutputLines, OutputStream } from '../protocol.ts';

/** Lines that wait to be sent, in the order they came. Sizes are estimates of memory, not of the wire. */
export interface OutputBuffer {
  /** `end`: what is said of the last line, if anything is. */
  append(stream: OutputStream, lines: readonly string[], end?: LineEnd): void;
  /** Removes and returns lines from the front: up to `bytesMax`, but at least one if there is any. */
  take(bytesMax: number): OutputLines[];
  bytes(): number;
}

/** It goes on with the next line of the stream, or nothing comes after it though it has no line end. */
export type LineEnd = 'open' | 'cut' | null;

interface Stretch {
  readonly stream: OutputStream;
  lines: string[];
  end: LineEnd;
}

const costOf = (line: string): number => line.length + LINE_OVERHEAD_BYTES;

export function createOutputBuffer(): OutputBuffer {
  const stretches: Stretch[] = [];
  let bytes = 0;

  const append = (stream: OutputStream, lines: readonly string[], end: LineEnd = null) => {
    if (lines.length === 0) return;
    const last = stretches.at(-1);
    if (last?.stream === stream && last.end === null) {
      for (const line of lines) last.lines.push(line);
      last.end = end;
    } else stretches.push({ stream, lines: [...lines], end });
    for (const line of lines) bytes += costOf(line);
  };

  const take = (bytesMax: number) => {
    const taken: OutputLines[] = [];
    let room = bytesMax;
    for (let first = stretches[0]; first !== undefined; first = stretches[0]) {
      const { count, cost } = fitting(first.lines, room, taken.length === 0);
      if (count > 0) taken.push(linesOf(first, count));
      first.lines = first.lines.slice(count);
      bytes -= cost;
      room -= cost;
      if (first.lines.length > 0) break;
      stretches.shift();
    }
    return taken;
  };

  return { append, take, bytes: () => bytes };
}

/** The last line of a stretch alone can be a piece. */
const linesOf = ({ stream, lines, end }: Stretch, count: number): OutputLines => ({
  stream,
  lines: lines.slice(0, count),
  ...(end !== null && count === lines.length ? { [end]: true } : {}),
});

/** How many of the lines fit; the first one always does when `atLeastOne`. */
function fitting(
  lines: readonly string[],
  room: number,
  atLeastOne: boolean,
): { count: number; cost: number } {
  let count = 0;
  let cost = 0;
  for (const line of lines) {
    const lineCost = costOf(line);
    if (cost + lineCost > room && !(atLeastOne && count === 0)) break;
    count += 1;
    cost += lineCost;
  }
  return { count, cost };
}
