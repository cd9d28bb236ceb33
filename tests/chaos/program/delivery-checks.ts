/** Checks of the final state of inboxes: each has all confirmed publications, in order, whatever failed meanwhile. */
import type { Happenings } from './happenings.ts';
import type { Delivery, FaultyInbox } from './inboxes.ts';
import { CHAOS_EVENT } from './traffic.ts';

/** An inbox that answers with 500 gets a publication so often, and no more. */
const ATTEMPTS_AT_ERROR = 4;
export const RUN_ENDS: readonly unknown[] = ['WorkflowCompleted', 'WorkflowCanceled'];

/** The publications that each inbox must have: their numbers, in the order of confirmation, and the runs that ended. */
export interface Owed {
  readonly published: readonly number[];
  readonly endedRuns: readonly string[];
}

/** The runs that ended, and whose ends an inbox does not have. */
export function endsMissing(
  { deliveries }: Pick<FaultyInbox, 'deliveries'>,
  endedRuns: readonly string[],
): readonly string[] {
  const settled = settledDeliveries(deliveries).filter(({ kind }) => RUN_ENDS.includes(kind));
  const ends = new Set(settled.map(({ about }) => about));
  return endedRuns.filter((id) => !ends.has(id));
}

/** Missing publications of an inbox, and those out of order. Empty when all is well. */
export function deliveryProblems(
  inbox: Pick<FaultyInbox, 'deliveries'>,
  owed: Owed,
): readonly string[] {
  const settled = settledDeliveries(inbox.deliveries);
  const numbers = settled.filter(({ kind }) => kind === CHAOS_EVENT).map(({ about }) => about);
  const got = new Set(numbers);
  const lost = owed.published.filter((number) => !got.has(number));
  const missing = endsMissing(inbox, owed.endedRuns);
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

/** Deliveries that the inbox took, and those that it refused as often as the server tries. */
function settledDeliveries(deliveries: readonly Delivery[]): readonly Settled[] {
  const errors = new Map<string, number>();
  return deliveries.flatMap(({ publicationId, event, mode }) => {
    const count = (errors.get(publicationId) ?? 0) + (mode === 'error' ? 1 : 0);
    errors.set(publicationId, count);
    if (mode !== 'well' && count < ATTEMPTS_AT_ERROR) return [];
    return [{ kind: event.kind, about: aboutOf(event) }];
  });
}

/** A publication that was confirmed before another was sent must arrive first. Only first arrivals count. */
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

/** The server waits so long for the answer of an inbox, and notes it not much later. */
const NOTED_WITHIN_MS = 12_000;

/** A publication is the same each time it comes. It comes again only if it was not taken, or if the server could not store that. */
export function repetitionProblems(
  { deliveries }: Pick<FaultyInbox, 'deliveries'>,
  happenings: Happenings,
): readonly string[] {
  const lasts = new Map<string, Delivery>();
  return deliveries.flatMap((delivery) => {
    const { publicationId: id, event, atMs } = delivery;
    const last = lasts.get(id);
    lasts.set(id, delivery);
    if (last === undefined) return [];
    happenings.count('deliveries repeated');
    const [before, body] = [JSON.stringify(last.event), JSON.stringify(event)];
    const isExplained =
      last.mode !== 'well' || happenings.hadServerTrouble(last.atMs - NOTED_WITHIN_MS, atMs);
    return [
      ...(before === body ? [] : [`publication ${id} was ${before} and is ${body}`]),
      ...(isExplained ? [] : [`publication ${id} was taken and came again: ${body}`]),
    ];
  });
}

/** Finds publications that were published twice, and those that nobody asked for. */
export function surplusProblems(
  { deliveries }: Pick<FaultyInbox, 'deliveries'>,
  asked: { readonly publications: number; readonly runs: readonly string[] },
): readonly string[] {
  const ids = new Map<unknown, string>();
  const runs = new Set<unknown>(asked.runs);
  return deliveries.flatMap(({ publicationId, event }) => {
    const about = aboutOf(event);
    const other = ids.get(about) ?? publicationId;
    ids.set(about, publicationId);
    const isAskedFor =
      event.kind === CHAOS_EVENT ? Number(about) < asked.publications : runs.has(about);
    return [
      ...(other === publicationId ? [] : [`${event.kind} ${about} is published twice`]),
      ...(isAskedFor ? [] : [`${event.kind} ${about} came, and nobody asked for it`]),
    ];
  });
}

const aboutOf = (event: Delivery['event']): unknown =>
  event.kind === CHAOS_EVENT ? event.number : Object(event.metadata).workflow_id;
