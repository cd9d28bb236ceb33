/** Reads a batch that is posted as bytes: a line of JSON, then the output of its parts. */
import { isUtf8 } from 'node:buffer';
import { type ByteBatch, OrchestratorError, type Unread } from '@tutti/manifests';
import { listOf } from '@tutti/manifests/values';
import type { OutputLines } from '@tutti/workflow';
import { parseJson } from '../../../http/json.ts';
import type { PostInput, ReadPost } from '../jobs/agent-post.ts';
import { LIMITS } from '../jobs/limits.ts';
import { entriesOfPost, isNumber, malformed, marksOf, partOf, readBatch } from './posts.ts';

const LF = 0x0a;

/** Lines are made of so many bytes at a time. Larger texts cost V8 four times as much, in memory of their own. */
const PIECE_BYTES = 64 * 1024;

interface BytesInput extends Pick<PostInput, 'isOurs'> {
  readonly content: Buffer;
}

export function readByteBatch({ content, isOurs }: BytesInput): ReadPost {
  if (!isOurs) throw new OrchestratorError('UnsupportedMediaType', NOT_OURS);
  if (content.length > LIMITS.postBytesHere) throw tooLarge();
  if (!isUtf8(content)) throw malformed('it is not UTF-8 text');
  const end = content.subarray(0, LIMITS.batchHeadBytes).indexOf(LF);
  if (end === -1) throw malformed(`its first ${LIMITS.batchHeadBytes} bytes have no line end`);
  const head: Unread<ByteBatch> = entriesOfPost(parseJson(content.subarray(0, end)));
  const output: OutputLines[] = [];
  let at = end + 1;
  for (const value of listOf(head.output)) {
    const { bytes, ...part } = partOf(value);
    const length = isNumber(bytes) ? bytes : 0;
    output.push(...linesOf(content.subarray(at, at + length), marksOf(part)));
    at += length;
  }
  if (at !== content.length) throw malformed('its parts have another length than its output');
  return { kind: 'batch', ...readBatch({ ...head, output: [] }), output };
}

const NOT_OURS = 'Only agents of the protocol tutti.v1 post output as bytes. Use application/json.';

const tooLarge = (): OrchestratorError =>
  new OrchestratorError(
    'PayloadTooLarge',
    `A batch of output may have ${LIMITS.postBytesHere} bytes at most.`,
  );

/** The lines in pieces that are made on demand, and not kept. The last piece has the marks of its last line. */
function* linesOf(
  bytes: Buffer,
  { stream, ...marks }: Omit<OutputLines, 'lines'>,
): Generator<OutputLines, void, undefined> {
  for (let start = 0; start < bytes.length; ) {
    const end = endOfPiece(bytes, start);
    const text = bytes.subarray(start, end);
    yield {
      stream,
      ...(end === bytes.length ? marks : {}),
      get lines() {
        return splitLines(text);
      },
    };
    start = end;
  }
}

/** Behind the last line end that fits, or else behind the next one. */
function endOfPiece(bytes: Buffer, start: number): number {
  if (bytes.length - start <= PIECE_BYTES) return bytes.length;
  const last = bytes.lastIndexOf(LF, start + PIECE_BYTES - 1);
  const lineEnd = last >= start ? last : bytes.indexOf(LF, start + PIECE_BYTES);
  return lineEnd === -1 ? bytes.length : lineEnd + 1;
}

function splitLines(bytes: Buffer): readonly string[] {
  const hasEnd = bytes.at(-1) === LF;
  return bytes.toString('utf8', 0, hasEnd ? bytes.length - 1 : bytes.length).split('\n');
}
