/** What inboxes must have got in the end: everything that was confirmed, in order, whatever failed meanwhile. */
import type { Happenings } from './happenings.ts';
import type { Delivery, FaultyInbox } from './inboxes.ts';
import { CHAOS_EVENT } from './traffic.ts';

/** An inbox that answers with 500 gets a publication so often, and no more. */
const ATTEMPTS_AT_ERROR = 4;
export const RUN_ENDS: readonly unknown[] = ['WorkflowCompleted', 'WorkflowCanceled'];

/** What each inbox must have got: numbers of publications, in the order in which they were confirmed, and runs that ended. */
export interface Owed {
  readonly published: readonly number[];
  readonly endedRuns: readonly string[];
}

/** What an inbox still has to get, and what it got out of order. Empty when all is well. */
export function deliveryProblems(
  inbox: Pick<FaultyInbox, 'deliveries'>,
  owed: Owed,
): readonly string[] {
  const settled = settledDeliveries(inbox.deliveries);
  const numbers = settled.filter(({ kind }) => kind === CHAOS_EVENT).map(({ about }) => about);
  const ends = new Set(
    settled.filter(({ kind }) => RUN_ENDS.includes(kind)).map(({ about }) => about),
  );
  const got = new Set(numbers);
  const lost = owed.published.filter((number) => !got.has(number));
  const missing = owed.endedRuns.filter((id) => !ends.has(id));
  return [
    ...lost.map((number) => `publication ${number} was confirmed and not delivered`),
    ...missing.map((id) => `the end of run ${id} was not delivered`),
    ...orderProblems(owed.published, numbers),
  ];
}

interface Settled {
  readonly kind: unknown;
  readonly about: unknown;
}

/** Those that were taken, and those that were refused as often as they are tried. */
function settledDeliveries(deliveries: readonly Delivery[]): readonly Settled[] {
  const errors = new Map<string, number>();
  return deliveries.flatMap(({ publicationId, event, mode }) => {
    const count = (errors.get(publicationId) ?? 0) + (mode === 'error' ? 1 : 0);
    errors.set(publicationId, count);
    if (mode !== 'well' && count < ATTEMPTS_AT_ERROR) return [];
    const { kind } = event;
    const about = kind === CHAOS_EVENT ? event.number : Object(event.metadata).workflow_id;
    return [{ kind, about }];
  });
}

/** What was confirmed before something else was sent comes before it, when it comes for the first time. */
function orderProblems(
  published: readonly number[],
  numbers: readonly unknown[],
): readonly string[] {
  const places = new Map<unknown, number>();
  for (const [place, number] of numbers.entries()) {
    if (!places.has(number)) places.set(number, place);
  }
  const order = published.flatMap((number) => places.get(number) ?? []);
  const wrong = order.findIndex((place, index) => place < (order[index - 1] ?? -1));
  return wrong === -1 ? [] : [`publication ${published[wrong]} came before an earlier one`];
}

/** A publication is the same each time it comes. */
export function checkRepetitions(inbox: FaultyInbox, happenings: Happenings): void {
  const bodies = new Map<string, string>();
  for (const { publicationId, event } of inbox.deliveries) {
    const body = JSON.stringify(event);
    const before = bodies.get(publicationId);
    if (before !== undefined) happenings.count('deliveries repeated');
    if (before !== undefined && before !== body) {
      happenings.violation(`publication ${publicationId} was ${before} and is ${body}`);
    }
    bodies.set(publicationId, body);
  }
}
