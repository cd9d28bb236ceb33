import { isRunEvent } from '@tutti/manifests';
import {
  createLogOptions,
  type FoundFailure,
  firstFailureIn,
  isSummaryChanged,
  type Redactor,
  type Run,
  renderEvent,
  runSummaryOf,
} from '@tutti/workflow';
import type { CommittedEvent } from '../../bus/bus.ts';
import { linesIn } from '../../store/log-marks.ts';
import type { SummaryRow } from '../../store/store.ts';

/** The summary of a run for lists; null if it is the same as before. */
export function summaryRow(
  before: Run,
  after: Run,
  committed: readonly CommittedEvent[],
  redactor: Pick<Redactor, 'document'>,
): SummaryRow | null {
  const found = firstFailureIn(
    before,
    after,
    committed.map(({ shown }) => shown.event).filter(isRunEvent),
  );
  if (found === null && !isSummaryChanged(before, after)) return null;
  return {
    json: JSON.stringify(redactor.document(runSummaryOf(after))),
    failure: found === null ? null : JSON.stringify(redactor.document(found.failure)),
    lines: found === null ? 0 : linesUpTo(found, after, committed),
  };
}

/** Lines of the log up to the failure, of those that come with these events. Few commits have a failure, so the text is made again. */
function linesUpTo(
  { event }: FoundFailure,
  { labels }: Run,
  committed: readonly CommittedEvent[],
): number {
  const options = createLogOptions(labels);
  const at = committed.findIndex(({ shown }) => shown.event === event);
  return committed
    .slice(0, at + 1)
    .reduce((lines, { shown }) => lines + linesIn(renderEvent(shown.event, options)), 0);
}
