/** Reads a report: a small one at once, a large one in a thread, of which there are few. */
import type { Readable } from 'node:stream';
import { createSlots, type Slots } from '../../bus/slots.ts';
import { type ResultsPart, type ResultsRequest, readResults } from './read-results.ts';

export const READING_LIMITS = {
  /** In bytes. A thread takes about as long to start as this takes to read. */
  inPlace: 1024 * 1024,
  /** Concurrent threads; further reports wait for one to end. */
  threads: 2,
} as const;

/** A report as the blob store has it. */
export interface ReportContent {
  /** In bytes. */
  readonly size: number;
  readonly content: Readable;
}

/** Like `readResults`; an abort is thrown. */
export type ReadReport = (
  request: ResultsRequest,
  report: ReportContent,
  signal: AbortSignal,
) => AsyncIterable<ResultsPart>;

export function createReportReader(): ReadReport {
  const slots = createSlots(READING_LIMITS.threads);
  return (request, report, signal) =>
    report.size <= READING_LIMITS.inPlace
      ? readResults(request, report.content)
      : readInTurn(slots, request, report, signal);
}

async function* readInTurn(
  slots: Slots,
  { attachmentId, format, skip }: ResultsRequest,
  { content }: ReportContent,
  signal: AbortSignal,
): AsyncGenerator<ResultsPart> {
  const giveBack = await slots.take(signal);
  try {
    const { readInThread } = await import('./thread/read-in-thread.ts');
    yield* readInThread({ attachmentId, format, skip }, content, signal);
  } finally {
    giveBack();
  }
}
