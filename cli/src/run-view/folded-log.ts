/**
 * Merges the output of several jobs into one log with flat groups: one step at a time. Lines of other jobs wait until the group
 * ends. Many or old waiting lines end the group early; it continues in a new one.
 */

import type { Line } from '@tutti/run-view';
import { cleanLine } from '@tutti/run-view/text';
import type { Folding } from './folding.ts';

/** Lines of other jobs that wait for the end of a group. */
export const HELD_LINES_MAX = 2_000;
/** Longest wait of a line, since users watch running builds. */
export const HELD_MS_MAX = 15_000;

/** A line, with its event and number: events may be rendered again later, with masked texts. */
export interface FoldedEntry {
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
  readonly entry: FoldedEntry;
  /** True if it was shown before. */
  readonly isContinued: boolean;
}

export class FoldedLog {
  readonly #options: FoldedLogOptions;
  /** The job with the open group. */
  #focus: string | null = null;
  /** Whether its group has begun: an empty group never begins. */
  #isOpen = false;
  #held: FoldedEntry[] = [];
  #heldSinceMs = 0;
  readonly #titles = new Map<string, Title>();

  constructor(options: FoldedLogOptions) {
    this.#options = options;
  }

  take(entry: FoldedEntry): void {
    const { job } = entry.line;
    if (this.#focus === null || job === this.#focus) {
      this.#show(entry);
      return;
    }
    if (this.#held.length === 0) this.#heldSinceMs = this.#options.nowMs();
    this.#held.push(entry);
    // Lines about the whole run keep their position.
    if (job === '' || this.#held.length >= HELD_LINES_MAX) this.#release();
  }

  /** Checks the time. */
  tick(): void {
    const nowMs = this.#options.nowMs();
    // A silent step gets a group after a while, too.
    if (this.#focus !== null) this.#beginGroup(this.#focus, nowMs);
    if (this.#held.length > 0 && nowMs - this.#heldSinceMs >= HELD_MS_MAX) this.#release();
  }

  /** Ends the group and shows waiting lines. */
  end(): void {
    this.#endGroup(this.#options.nowMs());
    this.#release();
  }

  /** Rewrites the waiting lines. */
  renew(again: (entry: FoldedEntry) => FoldedEntry): void {
    this.#held = this.#held.map(again);
    for (const [job, title] of this.#titles) {
      this.#titles.set(job, { ...title, entry: again(title.entry) });
    }
  }

  #show(entry: FoldedEntry): void {
    const { line } = entry;
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
      this.#titles.set(line.job, { entry, isContinued: false });
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
    const name = cleanLine(`${job}${title === undefined ? '' : ` ▸ ${title.entry.line.text}`}`);
    write(folding.open(`${name}${title?.isContinued ? ' (continued)' : ''}`, atMs));
    if (title !== undefined) this.#titles.set(job, { ...title, isContinued: true });
  }

  /** A step without output had no group, and becomes a line. */
  #endGroup(atMs: number): void {
    const { write, folding, render } = this.#options;
    const title = this.#titles.get(this.#focus ?? '');
    if (this.#isOpen) write(folding.close(atMs));
    else if (this.#focus !== null && title !== undefined) {
      write(folding.outside(render(title.entry.line)));
      this.#titles.set(this.#focus, { ...title, isContinued: true });
    }
    this.#focus = null;
    this.#isOpen = false;
  }

  /** Ends the group and shows the lines that waited, job by job. */
  #release(): void {
    const waited = Map.groupBy(this.#held, ({ line }) => line.job);
    this.#held = [];
    for (const [, lines] of waited) {
      this.#endGroup(lines[0]?.line.at ?? this.#options.nowMs());
      for (const entry of lines) this.#show(entry);
    }
    if (waited.size > 0) this.#endGroup(this.#options.nowMs());
  }
}

/** Lines about a job that belong to no step are never hidden in a group. */
const isOfStep = ({ tone, depth }: Line): boolean =>
  tone === 'output' || tone === 'stderr' || tone === 'step' || depth > 0;
