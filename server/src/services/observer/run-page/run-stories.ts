/** The stories of runs that somebody looks at. They go on where the last question ended, and go back to earlier moments. */
import { type LoggedEvent, type WorkflowId, workflowNotFound } from '@tutti/manifests';
import {
  emptyRunStory,
  type Mark,
  markOf,
  type RunStory,
  reduceRunStory,
  thinned,
} from '@tutti/run-view';
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
  /** Events at which readers stop. */
  readonly marks: readonly Mark[];
}

interface KeptRun {
  /** `maskMark` of the run: with new masks, events may differ. */
  readonly masks: number;
  /** The earliest first. The last one is the newest known. */
  moments: readonly Moment[];
  /** Marks of the first `marked` events. */
  marks: Mark[];
  marked: number;
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
        const event: LoggedEvent = JSON.parse(json);
        story = reduceRunStory(story, event);
        seq += 1;
        mark(kept, event, { seq, story });
        this.#note(kept, { seq, story });
        if (turns.isOver) await turns.next();
      }
      if (page.items.length === 0 || seq >= page.total) {
        if (at === null) this.#keep(workflowId, kept, { seq, story });
        const marks = thinned(kept.marks, RUN_STORIES_LIMITS.marks);
        return { seq, story, total: page.total, marks };
      }
    }
  }

  #of(workflowId: WorkflowId, masks: number): KeptRun {
    const kept = this.#kept.get(workflowId);
    if (kept?.masks === masks) return kept;
    const { step } = RUN_STORIES_LIMITS;
    return { masks, moments: [], marks: [], marked: 0, step, length: 0 };
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
    if (newest.seq !== kept.moments.at(-1)?.seq) {
      kept.length = lengthOf(newest.story) + MARK_LENGTH * kept.marks.length;
    }
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

/** Notes the mark of an event, unless an earlier question did. */
function mark(kept: KeptRun, event: LoggedEvent, { seq, story }: Moment): void {
  if (seq !== kept.marked + 1) return;
  kept.marked = seq;
  const made = markOf(event, story.view, seq);
  if (made === null) return;
  kept.marks.push(made);
  const { marks: most } = RUN_STORIES_LIMITS;
  if (kept.marks.length > 2 * most) kept.marks = [...thinned(kept.marks, most)];
}

const MARK_LENGTH = 100;
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
