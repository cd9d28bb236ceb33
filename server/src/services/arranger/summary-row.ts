import type { RunEvent } from '@tutti/manifests';
import {
  firstFailureIn,
  isSummaryChanged,
  type Redactor,
  type Run,
  runSummaryOf,
} from '@tutti/workflow';
import type { SummaryRow } from '../../store/store.ts';

/** The summary of a run for lists; null if it is the same as before. */
export function summaryRow(
  before: Run,
  after: Run,
  events: readonly RunEvent[],
  redactor: Pick<Redactor, 'document'>,
): SummaryRow | null {
  const failure = firstFailureIn(before, after, events);
  if (failure === null && !isSummaryChanged(before, after)) return null;
  return {
    json: JSON.stringify(redactor.document(runSummaryOf(after))),
    failure: failure === null ? null : JSON.stringify(redactor.document(failure)),
  };
}
