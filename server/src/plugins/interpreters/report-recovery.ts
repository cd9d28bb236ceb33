/**
 * Finds reports without a reader. A file may be attached while the server's version does not know its format. After an upgrade,
 * the refolded run waits for a reader, and nothing in the outbox starts one.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NotificationEvent, RunEvent, WorkflowId } from '@tutti/manifests';
import { isReportReader } from '@tutti/workflow';
import type { RunDirectory } from '../../bus/bus.ts';
import type { ServerEventBus } from '../../bus/event-bus.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { Service } from '../../runtime/service.ts';
import type { Store } from '../../store/store.ts';
import { SUBSCRIPTIONS } from './interpreter-host.ts';
import { type ReportingEvent, reportsOfEvent, workerIdOf } from './reports-of-event.ts';

export interface ReportRecoveryDeps {
  readonly runs: Pick<RunDirectory, 'live'>;
  readonly store: Pick<Store, 'events'>;
  readonly bus: Pick<ServerEventBus, 'deliverAgain'>;
  readonly logger: Logger;
}

/** Events that are read at a time: one with test results has some 64 KiB. */
const PAGE = 64;

interface Waiting {
  readonly workflowId: WorkflowId;
  /** The workers of reports that are not read to their end. */
  readonly readers: ReadonlySet<string>;
}

/**
 * Start it after the runs are loaded, and before anything new happens in them. It reads logs in the background, so long ones do
 * not delay the server's readiness. An event that is also in the outbox is handled twice, which the handler allows.
 */
export function createReportRecovery(deps: ReportRecoveryDeps): Service {
  const stopping = new AbortController();
  let recovering: Promise<void> = Promise.resolve();
  return {
    name: 'report recovery',
    async start() {
      const waiting = waitingRuns(deps.runs);
      recovering = recover(deps, waiting, stopping.signal).catch((error: unknown) => {
        deps.logger.error({ err: error }, 'Reports that nobody reads could not be looked for.');
      });
    },
    async stop() {
      stopping.abort();
      await recovering;
    },
  };
}

function waitingRuns(runs: Pick<RunDirectory, 'live'>): readonly Waiting[] {
  return [...runs.live()].flatMap(({ workflowId, workers }) => {
    const readers = new Set([...workers].filter(isReportReader));
    return readers.size === 0 ? [] : [{ workflowId, readers }];
  });
}

async function recover(
  deps: ReportRecoveryDeps,
  waiting: readonly Waiting[],
  signal: AbortSignal,
): Promise<void> {
  for (const { workflowId, readers } of waiting) {
    for (const event of await neverBegun(deps.store, workflowId, readers, signal)) {
      await deps.bus.deliverAgain(SUBSCRIPTIONS[event.kind], event);
    }
  }
}

/** Events with reports that no worker has begun to read. */
async function neverBegun(
  store: Pick<Store, 'events'>,
  workflowId: WorkflowId,
  readers: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<readonly ReportingEvent[]> {
  const events = new Map<string, ReportingEvent>();
  for (let fromSeq = 1; !signal.aborted; ) {
    const page = await store.events(workflowId, fromSeq, PAGE);
    for (const json of page?.items ?? []) {
      const event = relevantEvent(json);
      if (event?.kind === 'Notification') events.delete(event.spec.worker?.worker_id ?? '');
      else if (event !== null) for (const id of readersOf(event, readers)) events.set(id, event);
    }
    if (page === null || page.items.length === 0) break;
    fromSeq += page.items.length;
    if (fromSeq > page.total) break;
    // A long log takes seconds, in which other requests want answers.
    await nextTurn();
  }
  return [...new Set(events.values())];
}

/** Parsing every event of a long log only to look at its kind would take seconds. */
function relevantEvent(json: string): ReportingEvent | NotificationEvent | null {
  if (!json.includes('"worker"') && !json.includes('"attachments"')) return null;
  const event: RunEvent = JSON.parse(json);
  const isRelevant =
    event.kind === 'Notification' ||
    event.kind === 'ExecutionResult' ||
    event.kind === 'WorkflowResult';
  return isRelevant ? event : null;
}

function readersOf(event: ReportingEvent, readers: ReadonlySet<string>): readonly string[] {
  return reportsOfEvent(event)
    .map(workerIdOf)
    .filter((id) => readers.has(id));
}
