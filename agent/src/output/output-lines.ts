/** Output as bytes: whole lines as the command printed them, so that most are looked at but never copied. */
import type { PostedLines } from '@tutti/manifests';

export const LF = 0x0a;

export type OutputStream = PostedLines['stream'];

/** `open`: it continues in the next line of the stream. `cut`: the stream ended without a line end. */
export type LineEnd = 'open' | 'cut' | null;

/** Lines of one stream in UTF-8. Each has its line end, except a last one with a mark. */
export interface LineRun {
  readonly bytes: Buffer;
  readonly count: number;
  /** Mark of the last line. */
  readonly end: LineEnd;
}

export function runOf(lines: readonly string[], end: LineEnd = null): LineRun {
  const isEnded = (index: number) => end === null || index < lines.length - 1;
  // A reader takes CR LF for one line end.
  const isOwn = (line: string, index: number) => line.endsWith('\r') && isEnded(index);
  const text = lines.map((line, index) => (isOwn(line, index) ? `${line}\r` : line)).join('\n');
  const bytes = Buffer.from(end === null && lines.length > 0 ? `${text}\n` : text);
  return { bytes, count: lines.length, end };
}

export function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) count += 1;
  return count;
}

/** Consecutive lines of one stream, in pieces. */
export interface OutputPart extends Omit<PostedLines, 'lines'> {
  readonly pieces: readonly Buffer[];
}

/** Lines in a post that is JSON. Several are one text with line feeds, which a server reads ten times as fast as a list. */
export function postedLines({ pieces, ...output }: OutputPart): PostedLines {
  const text = Buffer.concat(pieces).toString().replaceAll('\r\n', '\n').replace(/\n$/, '');
  return { ...output, lines: text.includes('\n') ? text : [text] };
}
