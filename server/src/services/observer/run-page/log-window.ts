/** `GET /workflows/{workflow_id}/log/lines`: some lines of the execution log by their numbers. */
import { type Status, status } from '@tutti/manifests';
import { LOG_WINDOW_LIMITS } from '../run-page-limits.ts';
import {
  createLineFilter,
  type LineFilter,
  type LogLine,
  type LogSource,
  linesFrom,
  placeOf,
  readLine,
} from './log-lines.ts';

export interface WindowQuestion extends LineFilter {
  /** Number of the first line; below 0 from the end. */
  readonly from: number;
  readonly count: number;
}

/** Number, time, id of the job, text. A longer line has the place of its rest in the log, in bytes. */
type Row = readonly (string | number | null)[];

export async function logWindow(
  source: LogSource,
  { from, count, ...filter }: WindowQuestion,
): Promise<Status> {
  const { lines } = await placeOf(source, 1);
  const first = from < 0 ? Math.max(1, lines + 1 + from) : Math.max(1, from);
  const { rows, next } = await rowsOf(source, { first, count, filter });
  return status('OK', `${rows.length} of ${lines} lines`, {
    items: rows,
    total: lines,
    first: rows[0]?.[0] ?? null,
    last: rows.at(-1)?.[0] ?? null,
    next,
  });
}

interface Wanted {
  readonly first: number;
  readonly count: number;
  readonly filter: LineFilter;
}

/** `next` is the number to go on with; null at the end of the log. */
async function rowsOf(
  source: LogSource,
  { first, count, filter }: Wanted,
): Promise<{ readonly rows: readonly Row[]; readonly next: number | null }> {
  const place = await placeOf(source, first);
  const { searchedBytes, bytes: bytesMax } = LOG_WINDOW_LIMITS;
  const isWanted = createLineFilter(filter);
  const rows: Row[] = [];
  let bytes = 0;
  if (first > place.lines) return { rows, next: null };
  for await (const found of linesFrom(source, place, place.bytes)) {
    for (const line of found) {
      if (line.number < first || !isWanted(line)) continue;
      if (rows.length === count || bytes > bytesMax) return { rows, next: line.number };
      rows.push(rowOf(line));
      bytes += Math.min(line.content.length, LOG_WINDOW_LIMITS.lineBytes);
    }
    const last = found.at(-1);
    if (last !== undefined && last.byte - place.byte > searchedBytes) {
      return { rows, next: last.number < place.lines ? last.number + 1 : null };
    }
  }
  return { rows, next: null };
}

function rowOf(line: LogLine): Row {
  const { time, jobId, before } = readLine(line);
  const { number, byte, content } = line;
  if (content.length - before <= LOG_WINDOW_LIMITS.lineBytes) {
    return [number, time, jobId, content.toString('utf8', before)];
  }
  const end = wholeCharacters(content, before + LOG_WINDOW_LIMITS.lineBytes);
  return [number, time, jobId, content.toString('utf8', before, end), byte + end];
}

/** The end before the character that a cut would divide. */
function wholeCharacters(content: Uint8Array, end: number): number {
  let at = end;
  while (at > end - 4 && ((content[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return at;
}
