/** Has the summaries made that runs of earlier versions lack. Mostly none does, and what makes them is not loaded. */
import type { Logger } from '../../../runtime/logger.ts';
import type { Service } from '../../../runtime/service.ts';
import { nextTurn } from '../../../runtime/turns.ts';
import type { Store } from '../../../store/store.ts';

interface FillerDeps {
  readonly store: Pick<Store, 'unsummarizedRuns' | 'foldingEvents' | 'write'>;
  readonly logger: Logger;
}

/** Runs that are looked at together: less than a millisecond. */
const LOOKS = 500;

/** Works beside everything else, from the newest run to the oldest. */
export function createSummaryFiller(deps: FillerDeps): Service {
  let isStopped = false;
  let working = Promise.resolve();
  return {
    name: 'summaries',
    async start() {
      working = fillSummaries(deps, () => isStopped).catch((error) => {
        if (!isStopped) deps.logger.error({ err: error }, 'Summaries of runs could not be made.');
      });
    },
    async stop() {
      isStopped = true;
      await working;
    },
  };
}

async function fillSummaries(deps: FillerDeps, isStopped: () => boolean): Promise<void> {
  let before = Number.MAX_SAFE_INTEGER;
  while (!isStopped()) {
    const { items, place } = await deps.store.unsummarizedRuns(before, LOOKS);
    for (const workflowId of items) {
      if (isStopped()) return;
      const { fillSummary } = await import('./fill-summary.ts');
      await fillSummary(deps, workflowId);
    }
    if (place === null) return;
    before = place;
    await nextTurn();
  }
}
