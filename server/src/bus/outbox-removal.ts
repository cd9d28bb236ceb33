/** Removes entries from the outbox that will not be sent any more. */
import type { SubscriptionId } from '@tutti/manifests';
import type { Logger } from '../runtime/logger.ts';
import type { Meters } from '../runtime/meters.ts';
import type { Store } from '../store/store.ts';
import type { BusLimits } from './limits.ts';
import { countAnswer, type SubscriptionRecord } from './subscription-record.ts';

/** Counted with the answers of an inbox: publications that were given up. */
const GIVEN_UP = 'given up';

export interface OutboxRemovalDeps {
  readonly store: Store;
  readonly limits: BusLimits;
  readonly logger: Logger;
  readonly meters: Pick<Meters, 'droppedDeliveries'>;
}

/** Gives up the oldest of what waits for an inbox, where that is too much; it is logged and counted. */
export async function giveUpSurplus(
  { store, limits, logger, meters }: OutboxRemovalDeps,
  { id, name, activity }: SubscriptionRecord,
): Promise<void> {
  let given = 0;
  for (;;) {
    const outboxDone = await store.outboxSurplus(id, limits.undelivered, limits.acknowledgements);
    if (outboxDone.length === 0) break;
    await store.write({ outboxDone });
    given += outboxDone.length;
  }
  if (given === 0) return;
  countAnswer(activity, GIVEN_UP, given);
  meters.droppedDeliveries.add('too-many', given);
  const about = { subscriptionId: id, name, count: given, kept: limits.undelivered };
  logger.warn(about, 'Too many publications wait for an inbox: the oldest are given up.');
}

/** Removes all rows of a subscription that has ended. */
export async function discardOutbox(
  { store, limits }: Pick<OutboxRemovalDeps, 'store' | 'limits'>,
  id: SubscriptionId,
): Promise<void> {
  for (;;) {
    const outboxDone = await store.outboxSurplus(id, 0, limits.discardedEntries);
    if (outboxDone.length === 0) return;
    await store.write({ outboxDone });
  }
}
