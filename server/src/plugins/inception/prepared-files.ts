/** Which resource files the jobs of runs prepared for rehearsals: folded from their logs, so that a restart forgets nothing. */
import type { RunEvent, WorkflowId } from '@tutti/manifests';
import type { Store } from '../../store/store.ts';
import { PreparedNames } from './prepared-names.ts';

/** Runs whose preparations are kept in memory; those of others are read again. */
const RUNS_MAX = 64;
const PAGE = 1000;

interface Prepared {
  nextSeq: number;
  readonly names: PreparedNames;
}

export class PreparedFiles {
  readonly #store: Pick<Store, 'events'>;
  readonly #runs = new Map<WorkflowId, Prepared>();

  constructor(store: Pick<Store, 'events'>) {
    this.#store = store;
  }

  /** Prepared names after all commands until now. */
  async namesOf(workflowId: WorkflowId): Promise<PreparedNames> {
    const prepared = this.#runs.get(workflowId) ?? { nextSeq: 1, names: new PreparedNames() };
    this.#keep(workflowId, prepared);
    for (;;) {
      const page = await this.#store.events(workflowId, prepared.nextSeq, PAGE);
      const items = page?.items ?? [];
      for (const json of items) note(prepared.names, JSON.parse(json));
      prepared.nextSeq += items.length;
      if (page === null || items.length === 0 || prepared.nextSeq > page.total) {
        return prepared.names;
      }
    }
  }

  /** The map is in the order of use: the least recently used runs are removed first. */
  #keep(workflowId: WorkflowId, prepared: Prepared): void {
    this.#runs.delete(workflowId);
    this.#runs.set(workflowId, prepared);
    for (const id of this.#runs.keys()) {
      if (this.#runs.size <= RUNS_MAX) return;
      this.#runs.delete(id);
    }
  }
}

function note(names: PreparedNames, event: RunEvent): void {
  if (event.kind === 'ExecutionCommand') names.note(event.metadata.job_id, event.scripts);
}
