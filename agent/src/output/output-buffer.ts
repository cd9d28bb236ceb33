import type { PostedLines } from '@tutti/manifests';
import { LINE_OVERHEAD_BYTES } from '../limits.ts';

export type OutputStream = PostedLines['stream'];

/** Consecutive lines of one stream, and how the last one ends. */
export interface OutputLines extends Omit<PostedLines, 'lines'> {
  readonly lines: readonly string[];
}

/** Lines that wait to be sent, in the order they came. Sizes are estimates of memory, not of the wire. */
export interface OutputBuffer {
  /** `end` marks the last line, if needed. */
  append(stream: OutputStream, lines: readonly string[], end?: LineEnd): void;
  /** Removes and returns lines from the front: up to `bytesMax`, but at least one if there is any. */
  take(bytesMax: number): OutputLines[];
  bytes(): number;
}

/** `open`: it continues in the next line of the stream. `cut`: the stream ended without a line end. */
export type LineEnd = 'open' | 'cut' | null;

/** Output of one append that is not yet taken. */
interface Stretch {
  readonly stream: OutputStream;
  readonly lines: readonly string[];
  readonly end: LineEnd;
  readonly bytes: number;
}

const costOf = (line: string): number => line.length + LINE_OVERHEAD_BYTES;

const costOfAll = (lines: readonly string[]): number => {
  let bytes = 0;
  for (const line of lines) bytes += costOf(line);
  return bytes;
};

export function createOutputBuffer(): OutputBuffer {
  let stretches: Stretch[] = [];
  let bytes = 0;

  const append = (stream: OutputStream, lines: readonly string[], end: LineEnd = null) => {
    if (lines.length === 0) return;
    const stretch = { stream, lines, end, bytes: costOfAll(lines) };
    stretches.push(stretch);
    bytes += stretch.bytes;
  };

  const take = (bytesMax: number) => {
    const taken: Stretch[] = [];
    let room = bytesMax;
    let next = 0;
    for (const stretch of stretches) {
      const fits = stretch.bytes <= room ? stretch : fitting(stretch, room, taken.length === 0);
      if (fits === null) break;
      taken.push(fits);
      room -= fits.bytes;
      bytes -= fits.bytes;
      if (fits !== stretch) {
        stretches[next] = restOf(stretch, fits);
        break;
      }
      next += 1;
    }
    stretches = stretches.slice(next);
    return joined(taken);
  };

  return { append, take, bytes: () => bytes };
}

/** The first lines of a stretch that does not fit, at least one with `atLeastOne`; null if there are none. */
function fitting(stretch: Stretch, room: number, atLeastOne: boolean): Stretch | null {
  const { stream, lines } = stretch;
  let count = 0;
  let bytes = 0;
  for (const line of lines) {
    const cost = costOf(line);
    if (bytes + cost > room && !(atLeastOne && count === 0)) break;
    count += 1;
    bytes += cost;
  }
  if (count === 0) return null;
  return count === lines.length
    ? stretch
    : { stream, lines: lines.slice(0, count), end: null, bytes };
}

const restOf = ({ stream, lines, end, bytes }: Stretch, taken: Stretch): Stretch => ({
  stream,
  lines: lines.slice(taken.lines.length),
  end,
  bytes: bytes - taken.bytes,
});

/** Joins adjacent lines of one stream, unless the last line has a mark. */
function joined(stretches: readonly Stretch[]): OutputLines[] {
  const output: OutputLines[] = [];
  for (let from = 0; from < stretches.length; ) {
    const to = endOfRun(stretches, from);
    const run = stretches.slice(from, to);
    const [{ stream } = { stream: 'stdout' as const }] = run;
    const end = run.at(-1)?.end ?? null;
    const lines = run.flatMap((stretch) => stretch.lines);
    output.push({ stream, lines, ...(end === null ? {} : { [end]: true }) });
    from = to;
  }
  return output;
}

function endOfRun(stretches: readonly Stretch[], from: number): number {
  let to = from + 1;
  while (stretches[to - 1]?.end === null && stretches[to]?.stream === stretches[from]?.stream) {
    to += 1;
  }
  return to;
}

/**
 * Lines in the form of a post: several lines become one text with line feeds. A server reads one text ten times as fast as a list of short
 * lines. Lines with carriage returns stay a list. The server takes a carriage return before a line feed for a line end.
 */
export function postedLines({ lines, ...output }: OutputLines): PostedLines {
  const joined = lines.join('\n');
  return { ...output, lines: lines.length === 1 || joined.includes('\r') ? lines : joined };
}
