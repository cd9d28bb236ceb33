/**
 * Handlers of channels in other processes offer what is free when they are asked (wire facts 3.2). Who had nothing free then, or was not
 * there yet, is asked again as long as the job waits. The log has the first request alone, as its answer is the same.
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

/** Handlers look every ten seconds whether their environments are there, and so do we. */
const REPEAT_MS = 10_000;
/** Who is free answers at once, so a job that has just asked is not waiting yet. */
const WAITED_MS = 5_000;
/** Requests of one round; those that are left out are repeated once others have found their environment. */
const REQUESTS_MAX = 1_000;

export function createRepeatedRequests(deps: RepeatedRequestsDeps): Service {
  let timer: NodeJS.Timeout | null = null;
  let asking: Promise<void> | null = null;
  const ask = () => {
    // A round that takes longer than the pause must not have another behind it.
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

/** One round. */
export async function repeatRequests({
  bus,
  runs,
  ids,
  clock,
}: Omit<RepeatedRequestsDeps, 'logger'>): Promise<void> {
  if (!bus.hasInboxOfKind('ExecutionCommand')) return;
  let asked = 0;
  const nowMs = clock.now();
  // One from later than now was asked before the clock was set back.
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
