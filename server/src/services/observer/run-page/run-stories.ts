/** The stories of runs that somebody looks at. They go on where the last question ended, and go back to earlier moments. */
import { type WorkflowId, workflowNotFound } from '@tutti/manifests';
import { emptyRunStory, type RunStory, reduceRunStory } from '@tutti/run-view';
import { Turns } from '../../../runtime/turns.ts';
import type { Store } from '../../../store/store.ts';
import { EVENTS_SLICE } from '../event-pages.ts';
import { RUN_STORIES_LIMITS } from '../run-page-limits.ts';
import { maskMark } from '../shown-events.ts';

/** The story after so many events. */
interface Moment {
  readonly seq: number;
  readonly story: RunStory;
}

export interface StoryUpTo extends Moment {
  /** Events of the run. */
  readonly total: number;
}

interface KeptRun {
  /** `maskMark` of the run: with new masks, events may differ. */
  readonly masks: number;
  /** The earliest first. The last one is the newest known. */
  moments: readonly Moment[];
  step: number;
  length: number;
}

const BEGIN: Moment = { seq: 0, story: emptyRunStory };

export class RunStories {
  readonly #store: Pick<Store, 'events' | 'document'>;
  /** The least recently used one is first. */
  readonly #kept = new Map<WorkflowId, KeptRun>();
  /** Questions about one run wait for each other: the first one reads its events for all. */
  readonly #asked = new Map<WorkflowId, Promise<unknown>>();

  constructor(store: Pick<Store, 'events' | 'document'>) {
    this.#store = store;
  }

  /** The story up to that event, or to the last one. Throws `NotFound` for a run that is gone. */
  upTo(workflowId: WorkflowId, at: number | null): Promise<StoryUpTo> {
    const fold = () => this.#fold(workflowId, at);
    const answer = (this.#asked.get(workflowId) ?? Promise.resolve()).then(fold, fold);
    this.#asked.set(workflowId, answer);
    const done = () => {
      if (this.#asked.get(workflowId) === answer) this.#asked.delete(workflowId);
    };
    answer.then(done, done);
    return answer;
  }

  async #fold(workflowId: WorkflowId, at: number | null): Promise<StoryUpTo> {
    const masks = await maskMark(this.#store, workflowId);
    const kept = this.#of(workflowId, masks);
    const end = at ?? Number.POSITIVE_INFINITY;
    let { seq, story } = kept.moments.findLast((moment) => moment.seq <= end) ?? BEGIN;
    const turns = new Turns();
    for (;;) {
      const count = Math.max(0, Math.min(EVENTS_SLICE, end - seq));
      const page = await this.#store.events(workflowId, seq + 1, count);
      if (page === null) throw workflowNotFound(workflowId);
      for (const json of page.items) {
        story = reduceRunStory(story, JSON.parse(json));
        seq += 1;
        this.#note(kept, { seq, story });
        if (turns.isOver) await turns.next();
      }
      if (page.items.length === 0 || seq >= page.total) {
        if (at === null) this.#keep(workflowId, kept, { seq, story });
        return { seq, story, total: page.total };
      }
    }
  }

  #of(workflowId: WorkflowId, masks: number): KeptRun {
    const kept = this.#kept.get(workflowId);
    if (kept?.masks === masks) return kept;
    return { masks, moments: [], step: RUN_STORIES_LIMITS.step, length: 0 };
  }

  #note(kept: KeptRun, moment: Moment): void {
    if (moment.seq % kept.step !== 0 || moment.seq <= (kept.moments.at(-1)?.seq ?? 0)) return;
    kept.moments = [...kept.moments, moment];
    if (kept.moments.length < RUN_STORIES_LIMITS.moments) return;
    kept.step *= 2;
    kept.moments = kept.moments.filter(({ seq }) => seq % kept.step === 0);
  }

  /** Stores it as the newest. */
  #keep(workflowId: WorkflowId, kept: KeptRun, newest: Moment): void {
    const earlier = kept.moments.filter(({ seq }) => seq % kept.step === 0 && seq < newest.seq);
    if (newest.seq !== kept.moments.at(-1)?.seq) kept.length = lengthOf(newest.story);
    kept.moments = [...earlier, newest];
    this.#kept.delete(workflowId);
    this.#kept.set(workflowId, kept);
    let length = 0;
    for (const each of this.#kept.values()) length += each.length;
    for (const [oldest, each] of this.#kept) {
      if (length <= RUN_STORIES_LIMITS.length || oldest === workflowId) return;
      this.#kept.delete(oldest);
      length -= each.length;
    }
  }
}

/** Memory of a job, and of a step, wait, file or label, in characters. Earlier moments share most of them. */
const JOB_LENGTH = 2_000;
const PART_LENGTH = 400;

function lengthOf({ view, jobs, files }: RunStory): number {
  let parts = files.length + view.labels.size;
  for (const { steps, waits } of jobs.values()) parts += steps.length + waits.length;
  let length = PART_LENGTH * parts + JOB_LENGTH * view.jobs.size;
  for (const { failed, current } of view.jobs.values()) {
    for (const { lastLines } of current === null ? failed : [...failed, current]) {
      for (const line of lastLines) length += line.length;
    }
  }
  return length;
}
