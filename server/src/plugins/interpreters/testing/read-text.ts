/** Reads the text of a report in pieces, as the tests of readers compare it. */
import { isOrchestratorError } from '@tutti/manifests';
import type { CreateFormatReader, FoundCase } from '../format-reader.ts';
import { readCases } from '../read-results.ts';

export interface Reading {
  readonly cases: readonly FoundCase[];
  readonly generalErrors: readonly string[];
  /** General errors that explain why test cases may be missing; of one piece, the first. */
  readonly doubts: readonly string[];
  readonly error: string | null;
}

export async function readText(
  createReader: CreateFormatReader,
  content: string | Uint8Array,
  pieceSize = 7,
  resultsMax?: number,
): Promise<Reading> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const cases: FoundCase[] = [];
  const generalErrors: string[] = [];
  const doubts: string[] = [];
  try {
    for await (const found of readCases(pieces(bytes, pieceSize), createReader, resultsMax)) {
      for (const each of found.cases) cases.push(each);
      generalErrors.push(...found.generalErrors);
      if (found.doubt !== null) doubts.push(found.doubt);
    }
    return { cases, generalErrors, doubts, error: null };
  } catch (error) {
    if (!isOrchestratorError(error)) throw error;
    return { cases, generalErrors, doubts, error: error.message };
  }
}

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** `suite#name status duration` of every case, with the message of its details. */
export function shownCases({ cases }: Pick<Reading, 'cases'>): readonly string[] {
  return cases.map((one) => {
    const { suite, name, status, duration } = one;
    const details = one.errorDetails ?? one.failureDetails ?? one.warningDetails;
    const message = details === undefined ? '' : ` ${details.message ?? ''}`;
    return `${suite}#${name} ${status} ${duration}${one.isAttempt ? ' attempt' : ''}${message}`;
  });
}
