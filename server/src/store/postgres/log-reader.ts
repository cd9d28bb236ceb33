/** Reads slices of execution logs: text from their parts, and parts of events from these. */
import type { Buffer } from 'node:buffer';
import type { WorkflowId } from '@tutti/manifests';
import { roomForLog, writeLogPart } from '../log-part.ts';
import type { LogPlace, LogSlice } from '../store.ts';
import { fromPlain } from './plain-text.ts';
import type { Read } from './read.ts';

interface StoredPart {
  readonly total: number;
  /** Null where the slice is empty. */
  readonly start: number | null;
  readonly bytes: number;
  readonly content: Buffer | null;
  readonly from: number;
  readonly to: number;
  readonly prefix: string | null;
  readonly event: number;
  readonly json: string | null;
}

/** From the last part that begins at or before the slice. */
const SELECT = `SELECT r.log_bytes AS total, p.start, p.bytes, p.content, p.lines_from AS "from", p.lines_to AS "to",
    p.prefix, p.event, e.json
  FROM runs r
  LEFT JOIN log_parts p ON p.workflow_id = $1 AND $2::bigint < $3::bigint AND p.start < $3 AND p.start >= coalesce(
    (SELECT max(start) FROM log_parts WHERE workflow_id = $1 AND start <= $2), 0)
  LEFT JOIN events e ON e.workflow_id = $1 AND e.seq = p.event
  WHERE r.workflow_id = $1 ORDER BY p.start`;

export function createLogReader(read: Read) {
  // Readers take a part in several slices.
  let latest: { readonly key: string; readonly text: Buffer } | null = null;
  const textOf = (workflowId: WorkflowId, part: StoredPart): Buffer => {
    const key = `${workflowId} ${part.start} ${part.event}`;
    if (latest?.key === key) return latest.text;
    const { from, to, bytes } = part;
    const place = { from, to, bytes, prefix: fromPlain(part.prefix ?? '') };
    const room = roomForLog(bytes);
    if (!writeLogPart(room, part.json ?? '', place)) {
      throw new Error(`Event ${part.event} of a run has not the output that its log shows.`);
    }
    const text = room.subarray(0, bytes);
    latest = { key, text };
    return text;
  };
  return async (workflowId: WorkflowId, start: number, end: number): Promise<LogSlice | null> => {
    const from = Math.max(0, start);
    const parts = await read<StoredPart>(SELECT, [workflowId, from, Math.max(0, end)]);
    const [first] = parts;
    if (first === undefined) return null;
    const { total } = first;
    const bytes = new Uint8Array(Math.max(0, Math.min(end, total) - from));
    for (const part of first.start === null ? [] : parts) {
      const at = (part.start ?? 0) - from;
      const text = part.content ?? textOf(workflowId, part);
      const within = text.subarray(Math.max(0, -at), Math.max(0, bytes.length - at));
      if (within.length > 0) bytes.set(within, Math.max(0, at));
    }
    return { bytes, total };
  };
}

export function createPlaceReader(read: Read) {
  return async (workflowId: WorkflowId, line: number): Promise<LogPlace | null> => {
    const [found] = await read<LogPlace>(
      `SELECT coalesce(m.line, 0) AS line, coalesce(m.byte, 0) AS byte, r.log_lines AS lines, r.log_bytes AS bytes
       FROM runs r LEFT JOIN LATERAL (SELECT line, byte FROM log_marks
         WHERE workflow_id = $1 AND line <= $2 ORDER BY line DESC LIMIT 1) m ON true
       WHERE r.workflow_id = $1`,
      [workflowId, line],
    );
    return found ?? null;
  };
}
