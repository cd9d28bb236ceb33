/** Which of the runs that are over are too old, or too many. */
import type { Timestamp } from '@tutti/manifests';
import { nextTurn } from '../runtime/turns.ts';
import type { RunEnd, Store } from './store.ts';

/** Ends that are read in one turn: a millisecond. */
const ENDS_PER_TURN = 10_000;
/** Sorts behind all times. */
const NEVER = '~' as Timestamp;

/** The last end of a run that ended before a time, or is not among the last `kept`. It reads `kept` ends, and none of the others. */
export async function surplusEnd(
  store: Pick<Store, 'endBefore'>,
  { before, kept }: { readonly before: Timestamp; readonly kept: number },
): Promise<RunEnd> {
  let end: RunEnd | null = { at: NEVER, place: Number.MAX_SAFE_INTEGER };
  for (let left = kept; end !== null; left -= ENDS_PER_TURN) {
    end = await store.endBefore(end, Math.min(left, ENDS_PER_TURN));
    if (left <= ENDS_PER_TURN) break;
    await nextTurn();
  }
  // Places begin at 1, so that this is all that ended before the time.
  return end === null || end.at < before ? { at: before, place: 0 } : end;
}
