/**
 * Repeats requests for environments. Channel handlers in other processes offer free channels when asked (wire facts 3.2). A handler without a
 * free channel, or one that starts later, is asked again while the job waits. The log has only the first request, because the answer is the same.
 */
import type { ExecutionCommandEvent } from '@tutti/manifests';
import { epochMs, openRequests } from '@tutti/workflow';
import type { RunDirectory } from '../../bus/bus.ts';
import type { ServerEventBus } from '../../bus/event-bus.ts';
import type { Clock, Ids } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { Service } from '../../runtime/service.ts';

export interface RepeatedRequestsDeps {
  readonly bus: Pick<ServerEventBus, 'hasInboxOfKind' | 'askAgain'>;
  readonly runs: Pick<RunDirectory, 'live'>;
  readonly ids: Pick<Ids, 'random'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
}

/** Existing handlers check their environments every ten seconds, too. */
const REPEAT_MS = 10_000;
/** A free handler answers at once, so a new request needs no repetition. */
const WAITED_MS = 5_000;
/** Limit of requests in one round; the rest is repeated when others have found their environment. */
const REQUESTS_MAX = 1_000;

export function createRepeatedRequests(deps: RepeatedRequestsDeps): Service {
  let timer: NodeJS.Timeout | null = null;
  let asking: Promise<void> | null = null;
  const ask = () => {
    // A long round must not have another one queued behind it.
    asking ??= repeatRequests(deps)
      .catch((error) => deps.logger.error({ err: error }, 'Requests could not be repeated.'))
      .finally(() => {
        asking = null;
      });
  };
  return {
    name: 'repeated requests',
    async start() {
      timer = setInterval(ask, REPEAT_MS);
    },
    async stop() {
      if (timer !== null) clearInterval(timer);
      timer = null;
      await asking;
    },
  };
}

/** Sends the requests of one round. */
export async function repeatRequests({
  bus,
  runs,
  ids,
  clock,
}: Omit<RepeatedRequestsDeps, 'logger'>): Promise<void> {
  if (!bus.hasInboxOfKind('ExecutionCommand')) return;
  let asked = 0;
  const nowMs = clock.now();
  // A request from the future comes from before the clock was set back.
  const waits = ({ metadata }: ExecutionCommandEvent) => {
    const askedMs = epochMs(metadata.creationTimestamp);
    return askedMs <= nowMs - WAITED_MS || askedMs > nowMs;
  };
  for (const run of runs.live()) {
    for (const request of openRequests(run, () => ids.random()).filter(waits)) {
      if (asked === REQUESTS_MAX) return;
      asked += 1;
      await bus.askAgain(request);
    }
  }
}
