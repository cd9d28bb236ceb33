import { LINE_OVERHEAD_BYTES, RUN_OVERHEAD_BYTES } from '../limits.ts';
import { LF, type LineRun, type OutputPart, type OutputStream } from './output-lines.ts';

/** Lines that wait to be sent, in the order they came. Sizes are estimates of memory, not of the wire. */
export interface OutputBuffer {
  append(stream: OutputStream, run: LineRun): void;
  /** Removes and returns lines from the front: up to `sizeMax`, but at least one if there is any. */
  take(sizeMax: number): OutputPart[];
  size(): number;
}

/** Output of one append that is not yet taken. */
interface Stretch extends LineRun {
  readonly stream: OutputStream;
}

const sizeOf = ({ bytes, count }: LineRun): number =>
  bytes.length + count * LINE_OVERHEAD_BYTES + RUN_OVERHEAD_BYTES;

export function createOutputBuffer(): OutputBuffer {
  let stretches: Stretch[] = [];
  let size = 0;

  const append = (stream: OutputStream, run: LineRun) => {
    if (run.count === 0) return;
    stretches.push({ stream, ...run });
    size += sizeOf(run);
  };

  const take = (sizeMax: number) => {
    const taken: Stretch[] = [];
    let room = sizeMax;
    let next = 0;
    for (const stretch of stretches) {
      const fits = sizeOf(stretch) <= room ? stretch : fitting(stretch, room, taken.length === 0);
      if (fits === null) break;
      taken.push(fits);
      room -= sizeOf(fits);
      size -= sizeOf(stretch);
      if (fits !== stretch) {
        const rest = restOf(stretch, fits);
        size += sizeOf(rest);
        stretches[next] = rest;
        break;
      }
      next += 1;
    }
    stretches = stretches.slice(next);
    return joined(taken);
  };

  return { append, take, size: () => size };
}

/** The first lines of a stretch that does not fit, at least one with `atLeastOne`; null if there are none. */
function fitting(stretch: Stretch, room: number, atLeastOne: boolean): Stretch | null {
  let fits: Stretch = { ...stretch, bytes: stretch.bytes.subarray(0, 0), count: 0, end: null };
  while (fits.count + 1 < stretch.count) {
    const end = stretch.bytes.indexOf(LF, fits.bytes.length) + 1;
    const more = { ...fits, bytes: stretch.bytes.subarray(0, end), count: fits.count + 1 };
    const isFirst = atLeastOne && more.count === 1;
    if (sizeOf(more) > room && !isFirst) return fits.count === 0 ? null : fits;
    fits = more;
  }
  return fits.count === 0 ? (atLeastOne ? stretch : null) : fits;
}

const restOf = (stretch: Stretch, taken: Stretch): Stretch => ({
  ...stretch,
  bytes: stretch.bytes.subarray(taken.bytes.length),
  count: stretch.count - taken.count,
});

/** Joins adjacent lines of one stream, unless the last line has a mark. */
function joined(stretches: readonly Stretch[]): OutputPart[] {
  const output: OutputPart[] = [];
  for (let from = 0; from < stretches.length; ) {
    const to = endOfRun(stretches, from);
    const run = stretches.slice(from, to);
    const [{ stream } = { stream: 'stdout' as const }] = run;
    const end = run.at(-1)?.end ?? null;
    const pieces = run.map(({ bytes }) => bytes);
    output.push({ stream, pieces, ...(end === null ? {} : { [end]: true }) });
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
