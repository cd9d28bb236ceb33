/**
 * Remembers which things changed last, so that pages ask again only for these. Changes have numbers. A reader comes back with the number of
 * the last one that it knows. It gets those behind it, or learns that it has missed some.
 */
import { randomBytes } from 'node:crypto';
import { isRunEvent, type LoggedEvent, type WorkflowId } from '@tutti/manifests';
import type { EventBus } from '../../../bus/bus.ts';

export const CHANGES_LIMITS = {
  /** Remembered changes: some seconds of a server with a thousand busy runs, and a MiB. */
  remembered: 8_192,
} as const;

/** Events of a run. They are one change as long as no reader has seen it. */
export interface RunChange {
  readonly kind: 'run';
  readonly workflowId: WorkflowId;
  readonly namespace: string;
  /** Length of its log. */
  seq: number;
  /** Lists show it in another way. */
  isListed: boolean;
}

export type Change =
  | RunChange
  /** Runs were removed. */
  | { readonly kind: 'removal' }
  /** An environment for these namespaces; see `PoolChannel`. */
  | { readonly kind: 'environments'; readonly namespaces: string };

export interface ChangeReader {
  /** Called for each change that it may want. */
  noted(change: Change): void;
}

/** Runs that a reader looks at; null where it has changes of lists, too. */
export interface Wanted {
  readonly runs: readonly WorkflowId[];
  readonly hasLists: boolean;
}

export class Changes {
  /** Numbers of another process mean nothing here. */
  readonly #process = randomBytes(6).toString('base64url');
  readonly #changes: Change[] = [];
  /** Number of the change before the first remembered one. */
  #before = 0;
  /** Number of the last change that a reader has seen. */
  #shown = 0;
  /** The last change of each run with a remembered one, and its number. */
  readonly #ofRuns = new Map<WorkflowId, { readonly change: RunChange; readonly number: number }>();
  readonly #lists = new Set<ChangeReader>();
  readonly #runs = new Map<WorkflowId, Set<ChangeReader>>();

  constructor(bus: Pick<EventBus, 'subscribeAll'>) {
    bus.subscribeAll((event, seq) => this.#happened(event, seq));
  }

  /** An environment for these namespaces came, went, or is in another phase. */
  environmentChanged(namespaces: string): void {
    this.#add({ kind: 'environments', namespaces });
  }

  runsRemoved(): void {
    this.#add({ kind: 'removal' });
  }

  /** The place after all changes, as text. */
  get position(): string {
    this.#shown = this.#before + this.#changes.length;
    return `${this.#process}.${this.#shown}`;
  }

  /** Changes behind a position; null where some of them are forgotten. */
  since(position: string): readonly Change[] | null {
    const [process, text = ''] = position.split('.');
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    const end = this.#before + this.#changes.length;
    if (process !== this.#process || !(number >= this.#before && number <= end)) return null;
    return this.#changes.slice(number - this.#before);
  }

  /** Returns the way to leave. */
  read(reader: ChangeReader, { runs, hasLists }: Wanted): () => void {
    if (hasLists) this.#lists.add(reader);
    for (const id of runs) this.#runs.set(id, (this.#runs.get(id) ?? new Set()).add(reader));
    return () => {
      this.#lists.delete(reader);
      for (const id of runs) {
        const readers = this.#runs.get(id);
        readers?.delete(reader);
        if (readers?.size === 0) this.#runs.delete(id);
      }
    };
  }

  #happened(event: LoggedEvent, seq: number): void {
    const { workflow_id: workflowId, namespace } = event.metadata;
    const known = this.#ofRuns.get(workflowId);
    const isListed = changesLists(event);
    if (known !== undefined && known.number > this.#shown) {
      known.change.seq = seq;
      known.change.isListed ||= isListed;
      this.#call(known.change, isListed);
      return;
    }
    const change: RunChange = { kind: 'run', workflowId, namespace, seq, isListed };
    this.#ofRuns.set(workflowId, { change, number: this.#before + this.#changes.length + 1 });
    this.#add(change);
  }

  #add(change: Change): void {
    this.#changes.push(change);
    if (this.#changes.length > CHANGES_LIMITS.remembered) this.#forgetFirst();
    this.#call(change, change.kind !== 'run' || change.isListed);
  }

  #forgetFirst(): void {
    const first = this.#changes.shift();
    this.#before += 1;
    if (first?.kind !== 'run') return;
    if (this.#ofRuns.get(first.workflowId)?.change === first) this.#ofRuns.delete(first.workflowId);
  }

  #call(change: Change, isListed: boolean): void {
    if (change.kind === 'run') {
      for (const reader of this.#runs.get(change.workflowId) ?? []) reader.noted(change);
    }
    if (isListed) for (const reader of this.#lists) reader.noted(change);
  }
}

/** Whether lists of runs, or of waiting jobs, may show something else. Output and steps change none of them. */
function changesLists(event: LoggedEvent): boolean {
  if (!isRunEvent(event)) return false;
  switch (event.kind) {
    case 'ExecutionCommand':
    case 'ExecutionResult':
      return event.metadata.step_sequence_id < 0;
    case 'Notification':
      return event.spec.logs !== undefined || event.spec.testResults !== undefined;
    case 'Workflow':
    case 'WorkflowCompleted':
    case 'WorkflowCanceled':
    case 'WorkflowCancellation':
    case 'ExecutionError':
    case 'GeneratorResult':
      return true;
    default:
      return false;
  }
}
