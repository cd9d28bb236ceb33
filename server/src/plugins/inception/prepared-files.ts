/** Which resource files the jobs of runs prepared for rehearsals: folded from their logs, so that a restart forgets nothing. */
import type { ExecutionCommandEvent, JobId, RunEvent, WorkflowId } from '@tutti/manifests';
import type { Store } from '../../store/store.ts';
import { linesOf, preparationsOf } from './rehearsal-lines.ts';

/** Runs whose preparations are kept in memory; those of others are read again. */
const RUNS_MAX = 64;
const PAGE = 1000;

/** Resource files by the names under which scripts attach them. */
type Names = Map<string, string>;

interface Prepared {
  nextSeq: number;
  readonly all: Names;
  readonly ofJobs: Map<JobId, Names>;
}

export class PreparedFiles {
  readonly #store: Pick<Store, 'events'>;
  readonly #runs = new Map<WorkflowId, Prepared>();

  constructor(store: Pick<Store, 'events'>) {
    this.#store = store;
  }

  /** What a job finds: all that was prepared in the run, and before that its own. */
  async namesFor(workflowId: WorkflowId, jobId: JobId): Promise<ReadonlyMap<string, string>> {
    const { all, ofJobs } = await this.#read(workflowId);
    return new Map([...all, ...(ofJobs.get(jobId) ?? [])]);
  }

  async #read(workflowId: WorkflowId): Promise<Prepared> {
    const prepared = this.#runs.get(workflowId) ?? {
      nextSeq: 1,
      all: new Map(),
      ofJobs: new Map(),
    };
    this.#keep(workflowId, prepared);
    for (;;) {
      const page = await this.#store.events(workflowId, prepared.nextSeq, PAGE);
      const items = page?.items ?? [];
      for (const json of items) note(prepared, JSON.parse(json));
      prepared.nextSeq += items.length;
      if (page === null || items.length === 0 || prepared.nextSeq > page.total) return prepared;
    }
  }

  /** Those that were not asked for longest are at the beginning. */
  #keep(workflowId: WorkflowId, prepared: Prepared): void {
    this.#runs.delete(workflowId);
    this.#runs.set(workflowId, prepared);
    for (const id of this.#runs.keys()) {
      if (this.#runs.size <= RUNS_MAX) return;
      this.#runs.delete(id);
    }
  }
}

function note(prepared: Prepared, event: RunEvent): void {
  if (event.kind !== 'ExecutionCommand') return;
  for (const { name, file } of preparationsOf(linesOf(scriptsOf(event)))) {
    prepared.all.set(name, file);
    const ofJob = prepared.ofJobs.get(event.metadata.job_id) ?? new Map();
    prepared.ofJobs.set(event.metadata.job_id, ofJob.set(name, file));
  }
}

const scriptsOf = ({ scripts }: ExecutionCommandEvent): readonly string[] => scripts;
