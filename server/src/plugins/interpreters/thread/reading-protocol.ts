/** What the thread that reads a report and the one that wants it read say to each other. */
import type { ResultsPart, ResultsRequest } from '../read-results.ts';

export type ReadingData = ResultsRequest;

/** The bytes of the report, in order; the buffer goes with its piece. */
export type ReadingMessage =
  | { readonly kind: 'piece'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'end' };

/** Each piece is answered by the parts it brought, and then by `taken`. After `ended` or `refused` nothing comes any more. */
export type ReadingAnswer =
  | ({ readonly kind: 'part' } & EncodedPart)
  | { readonly kind: 'taken' }
  | { readonly kind: 'ended' }
  /** The report cannot be read any further; why. */
  | { readonly kind: 'refused'; readonly message: string };

/** `results` as JSON: one text passes between threads faster than many small objects. */
export interface EncodedPart extends Omit<ResultsPart, 'results'> {
  readonly results: string;
}

export function encodePart({ results, ...rest }: ResultsPart): EncodedPart {
  return { ...rest, results: JSON.stringify(results) };
}

export function decodePart(part: EncodedPart): ResultsPart {
  const { results, generalErrors, doubt, found } = part;
  return { results: JSON.parse(results), generalErrors, doubt, found };
}
