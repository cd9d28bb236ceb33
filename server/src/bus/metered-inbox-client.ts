/** Counts the outcomes of posting publications to inboxes, and measures the time of their answers. */
import type { Clock } from '../runtime/clock.ts';
import type { DELIVERY_OUTCOMES, Meters } from '../runtime/meters.ts';
import type { InboxAnswer, InboxClient } from './inbox-client.ts';

const FIRST_REFUSAL = 300;
const TOO_MANY_REQUESTS = 429;
const INTERNAL_ERROR = 500;

export function meteredInboxClient(
  client: InboxClient,
  clock: Pick<Clock, 'monotonicMs'>,
  { deliveries, deliverySeconds }: Pick<Meters, 'deliveries' | 'deliverySeconds'>,
): InboxClient {
  return {
    async post(request, signal) {
      const startMs = clock.monotonicMs();
      const answer = await client.post(request, signal);
      deliveries.add(outcomeOf(answer));
      deliverySeconds.observe((clock.monotonicMs() - startMs) / 1000);
      return answer;
    },
    close: () => client.close(),
  };
}

function outcomeOf(answer: InboxAnswer): (typeof DELIVERY_OUTCOMES)[number] {
  if (answer.outcome === 'not allowed') return 'not-allowed';
  if (answer.outcome === 'unanswered') {
    return answer.why === 'Timeout' ? 'timeout' : 'connection-error';
  }
  const { code } = answer;
  if (code < FIRST_REFUSAL) return 'taken';
  return code === TOO_MANY_REQUESTS || code >= INTERNAL_ERROR ? 'postponed' : 'refused';
}
