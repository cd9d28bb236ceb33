/**
 * Lines of several jobs as one log whose groups do not nest: one step is shown at a time. What other jobs say meanwhile is held back
 * until its group ends; much or old of it ends the group, which goes on in another one.
 */

import { cleanLine } from '../terminal/style.ts';
import type { Folding } from './folding.ts';
import type { Line } from './line.ts';

/** Lines of other jobs that wait for the end of a group. */
export const HELD_LINES_MAX = 2_000;
/** How long they wait: readers look at builds that go on. */
export const HELD_MS_MAX = 15_000;

/** A line, and which one of which event it is: what events say may be told otherwise later, with texts masked. */
export interface Told {
  readonly line: Line;
  readonly event: number;
  readonly index: number;
}

export interface FoldedLogOptions {
  readonly write: (text: string) => void;
  readonly render: (line: Line) => string;
  readonly folding: Folding;
  readonly nowMs: () => number;
}

/** The step that a job is at. */
interface Title {
  readonly told: Told;
  /** It was shown already. */
  readonly isContinued: boolean;
}

export class FoldedLog {
  readonly #options: FoldedLogOptions;
  /** The job whose step is shown. */
  #focus: string | null = null;
  /** Its group has begun: one that would be empty never does. */
  #isOpen = false;
  #held: Told[] = [];
  #heldSinceMs = 0;
  readonly #titles = new Map<string, Title>();

  constructor(options: FoldedLogOptions) {
    this.#options = options;
  }

  take(told: Told): void {
    const { job } = told.line;
    if (this.#focus === null || job === this.#focus) {
      this.#show(told);
      return;
    }
    if (this.#held.length === 0) this.#heldSinceMs = this.#options.nowMs();
    this.#held.push(told);
    // Lines about the run as a whole stand where they belong.
    if (job === '' || this.#held.length >= HELD_LINES_MAX) this.#release();
  }

  /** Looks at the time. */
  tick(): void {
    const nowMs = this.#options.nowMs();
    // A step that says nothing for long is told all the same.
    if (this.#focus !== null) this.#beginGroup(this.#focus, nowMs);
    if (this.#held.length > 0 && nowMs - this.#heldSinceMs >= HELD_MS_MAX) this.#release();
  }

  /** Ends the group and shows what waits. */
  end(): void {
    this.#endGroup(this.#options.nowMs());
    this.#release();
  }

  /** What waits is told in another way. */
  renew(again: (told: Told) => Told): void {
    this.#held = this.#held.map(again);
    for (const [job, title] of this.#titles) {
      this.#titles.set(job, { ...title, told: again(title.told) });
    }
  }

  #show(told: Told): void {
    const { line } = told;
    const { write, folding, render } = this.#options;
    if (!isOfStep(line)) {
      this.#endGroup(line.at);
      write(folding.outside(render(line)));
      this.#release();
      return;
    }
    if (line.tone === 'step' && line.depth === 0) {
      this.#endGroup(line.at);
      this.#release();
      this.#titles.set(line.job, { told, isContinued: false });
      this.#focus = line.job;
      return;
    }
    this.#focus = line.job;
    this.#beginGroup(line.job, line.at);
    write(folding.inside(render(line)));
  }

  #beginGroup(job: string, atMs: number): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    const { write, folding } = this.#options;
    const title = this.#titles.get(job);
    const name = cleanLine(`${job}${title === undefined ? '' : ` ▸ ${title.told.line.text}`}`);
    write(folding.open(`${name}${title?.isContinued ? ' (continued)' : ''}`, atMs));
    if (title !== undefined) this.#titles.set(job, { ...title, isContinued: true });
  }

  /** A step that had no group, as it printed nothing, is a line. */
  #endGroup(atMs: number): void {
    const { write, folding, render } = this.#options;
    const title = this.#titles.get(this.#focus ?? '');
    if (this.#isOpen) write(folding.close(atMs));
    else if (this.#focus !== null && title !== undefined) {
      write(folding.outside(render(title.told.line)));
      this.#titles.set(this.#focus, { ...title, isContinued: true });
    }
    this.#focus = null;
    this.#isOpen = false;
  }

  /** Ends the group, and shows what waited for that: job by job. */
  #release(): void {
    const waited = Map.groupBy(this.#held, ({ line }) => line.job);
    this.#held = [];
    for (const [, lines] of waited) {
      this.#endGroup(lines[0]?.line.at ?? this.#options.nowMs());
      for (const told of lines) this.#show(told);
    }
    if (waited.size > 0) this.#endGroup(this.#options.nowMs());
  }
}

/** Lines that are about a job, but not of one of its steps, are never hidden in a group. */
const isOfStep = ({ tone, depth }: Line): boolean =>
  tone === 'output' || tone === 'step' || depth > 0;
