/** Answers to the pages about one run. */
import { formatTimestamp, type Status, status, type WorkflowId } from '@tutti/manifests';
import type { Store, WorkflowRow } from '../../../store/store.ts';
import { causesOfRun } from './causes.ts';
import { compareTests } from './compare.ts';
import type { LineFilter } from './log-lines.ts';
import { type SearchQuestion, searchLog } from './log-search.ts';
import { logWindow, type WindowQuestion } from './log-window.ts';
import { RunStories } from './run-stories.ts';
import { type ViewQuestion, viewOf } from './view.ts';

/** A job by its id, and a step of it. */
export interface LinesOf {
  readonly job: string | null;
  readonly step: string | null;
}

export type Asked<Question> = Omit<Question, keyof LineFilter> & LinesOf;

export class RunPage {
  readonly #store: Store;
  readonly #stories: RunStories;

  constructor(store: Store) {
    this.#store = store;
    this.#stories = new RunStories(store);
  }

  view(question: ViewQuestion): Promise<Status> {
    return viewOf({ store: this.#store, stories: this.#stories }, question);
  }

  async marks(workflowId: WorkflowId): Promise<Status> {
    const { total, marks } = await this.#stories.upTo(workflowId, null);
    return status('OK', `${marks.length} marks`, {
      total,
      items: marks.map(({ seq, at, kind, job }) => [seq, formatTimestamp(at), kind, job]),
    });
  }

  causes(row: WorkflowRow): Promise<Status> {
    return causesOfRun(this.#store, row);
  }

  compare(before: WorkflowId, after: WorkflowId): Promise<Status> {
    return compareTests(this.#store, { before, after });
  }

  async lines(workflowId: WorkflowId, asked: Asked<WindowQuestion>): Promise<Status> {
    const filter = await this.#filterOf(workflowId, asked);
    return await logWindow({ store: this.#store, workflowId }, { ...asked, ...filter });
  }

  async search(
    workflowId: WorkflowId,
    asked: Asked<SearchQuestion>,
  ): Promise<AsyncIterable<string>> {
    const filter = await this.#filterOf(workflowId, asked);
    return await searchLog({ store: this.#store, workflowId }, { ...asked, ...filter });
  }

  /** Lines name their job and time, and a job does one step at a time. */
  async #filterOf(workflowId: WorkflowId, { job, step }: LinesOf): Promise<LineFilter> {
    if (job === null || step === null) return { jobId: job, since: null, until: null };
    const { story } = await this.#stories.upTo(workflowId, null);
    const known = [...story.jobs.values()].find(({ jobId }) => jobId === job);
    const steps = (known?.steps ?? []).filter(({ id }) => id === step);
    // A step that is not known has no lines.
    const since = Math.min(...steps.map(({ startedAt }) => startedAt));
    const isOver = steps.every(({ endedAt }) => endedAt !== null);
    const until = Math.max(...steps.map(({ endedAt }) => endedAt ?? 0));
    return {
      jobId: job,
      since: steps.length === 0 ? NEVER : formatTimestamp(since),
      until: isOver && steps.length > 0 ? formatTimestamp(until) : null,
    };
  }
}

/** Later than any time. */
const NEVER = '~';
