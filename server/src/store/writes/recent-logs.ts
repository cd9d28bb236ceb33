/**
 * The ends of the execution logs that somebody follows, in memory. A follower gets new text without a read of the database, and all
 * followers of a run share its bytes. A follower that is further behind reads from the database.
 */
import { Buffer } from 'node:buffer';
import type { WorkflowId } from '@tutti/manifests';
import { roomForLog, writeLogPart } from '../log-part.ts';
import type { Append, LogSlice, Projection } from '../store.ts';
import type { WriterAnswer, WriterOperation } from './operations.ts';

const NOTHING = Buffer.alloc(0);

interface Piece {
  readonly followed: FollowedLog;
  readonly start: number;
  readonly length: number;
  /** Made when the first follower takes it. */
  content: Buffer | (() => Buffer);
}

interface FollowedLog {
  followers: number;
  /** Without gaps, the oldest first. */
  pieces: Piece[];
}

export class RecentLogs {
  readonly #followed = new Map<WorkflowId, FollowedLog>();
  /** Pieces of all runs, the oldest first. */
  readonly #pieces = new Set<Piece>();
  readonly #bytesMax: number;
  #bytes = 0;

  /** For all runs together. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Keeps what is added to the log of that run, until the returned function is called. */
  follow(workflowId: WorkflowId): () => void {
    const followed = this.#followed.get(workflowId) ?? { followers: 0, pieces: [] };
    this.#followed.set(workflowId, followed);
    followed.followers += 1;
    return () => {
      followed.followers -= 1;
      if (followed.followers > 0) return;
      this.#forget(workflowId);
      this.#followed.delete(workflowId);
    };
  }

  /** Takes what an operation changed, once it is durable. */
  show(operation: WriterOperation, answer: WriterAnswer): void {
    if (operation.kind === 'append' && answer.outcome === 'appended') {
      this.#add(operation.append, answer.logBytes);
    } else if (operation.kind === 'forget' && answer.outcome === 'done') {
      for (const workflowId of operation.workflowIds) this.#forget(workflowId);
    }
  }

  /** `logBytes`: the length of the log with it. */
  #add({ workflowId, projection, events }: Append, logBytes: number): void {
    const followed = this.#followed.get(workflowId);
    if (followed === undefined) return;
    const added = contentOf(projection, events);
    if (added.length > 0) {
      const piece = { followed, start: logBytes - added.length, ...added };
      followed.pieces.push(piece);
      this.#pieces.add(piece);
      this.#bytes += piece.length;
    }
    for (const piece of this.#pieces) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#drop(piece);
    }
  }

  /**
   * Bytes as `Store.log` returns them; null where they are not in memory. The database may have more: the writer commits first, and its
   * answer comes here later. So the database is asked for the length of a log, and whether more follows.
   */
  read(workflowId: WorkflowId, start: number, end: number): LogSlice | null {
    const pieces = this.#followed.get(workflowId)?.pieces ?? [];
    const last = pieces.at(-1);
    if (last === undefined) return null;
    const total = last.start + last.length;
    if (start >= Math.min(end, total)) return null;
    const first = pieces.findLastIndex((piece) => piece.start <= start);
    if (first === -1) return null;
    const wanted = pieces.slice(first).filter((piece) => piece.start < end);
    const [only = NOTHING, ...more] = wanted.map((piece) =>
      bytesOf(piece).subarray(Math.max(0, start - piece.start), Math.max(0, end - piece.start)),
    );
    return { bytes: more.length === 0 ? only : Buffer.concat([only, ...more]), total };
  }

  #forget(workflowId: WorkflowId): void {
    for (const piece of [...(this.#followed.get(workflowId)?.pieces ?? [])]) this.#drop(piece);
  }

  /** The oldest piece of its run. */
  #drop(piece: Piece): void {
    piece.followed.pieces.shift();
    this.#pieces.delete(piece);
    this.#bytes -= piece.length;
  }
}

type Content = Pick<Piece, 'length' | 'content'>;

function contentOf(projection: Projection, events: Append['events']): Content {
  const { logText, logParts = [] } = projection;
  if (logParts.length === 0) {
    const content = Buffer.from(logText);
    return { length: content.length, content };
  }
  const length = logParts.reduce((sum, { bytes }) => sum + bytes, Buffer.byteLength(logText));
  return { length, content: () => textOf(projection, events, length) };
}

/** All of it in one memory, so that readers seldom join pieces. */
function textOf(
  { logText, logParts = [] }: Projection,
  events: Append['events'],
  length: number,
): Buffer {
  const text = roomForLog(length);
  let at = 0;
  let written = 0;
  for (const part of logParts) {
    at += text.write(logText.slice(written, part.textBefore), at);
    written = part.textBefore;
    const isWhole = writeLogPart(text.subarray(at), events[part.event]?.json ?? '', part);
    if (!isWhole) throw new Error('An event has not the output that its log shows.');
    at += part.bytes;
  }
  text.write(logText.slice(written), at);
  return text.subarray(0, length);
}

function bytesOf(piece: Piece): Buffer {
  if (typeof piece.content === 'function') piece.content = piece.content();
  return piece.content;
}
