/** Shows a run on a terminal: the log scrolls, and below it a tree of what runs and waits is redrawn in place. */
import type { LoggedEvent } from '@tutti/manifests';
import { type ExpectedTimes, frameOf } from './frame.ts';
import { createFramePacer, type Later } from './frame-pacer.ts';
import { type Line, linesOf } from './lines.ts';
import { type DrawnArea, NOTHING_DRAWN, redraw } from './live-area.ts';
import { type Presenter, type Screen, writeSummary } from './presenter.ts';
import { type Clock, jobWidthOf, localClock, renderLine } from './render-line.ts';
import { emptyRunView, reduceRunView } from './run-view.ts';

export interface TreeOptions {
  readonly screen: Screen;
  /** Epoch milliseconds, read when something is drawn. */
  readonly nowMs: () => number;
  readonly later: Later;
  readonly clock?: Clock;
}

export interface TreePresenter extends Presenter {
  /** Takes the area away: others write to the terminal for a while. */
  hide(): void;
  /** Draws it again, below what they wrote. */
  show(): void;
}

const ROWS = 24;

const sizeOf = (screen: Screen) => ({ columns: screen.columns(), rows: screen.rows?.() ?? ROWS });

export function createTreePresenter(options: TreeOptions): TreePresenter {
  const { screen, nowMs, later, clock = localClock } = options;
  let view = emptyRunView;
  let expected: ExpectedTimes | null = null;
  let drawn: DrawnArea = NOTHING_DRAWN;
  let scrolled: string[] = [];
  let isOpen = true;
  let isHidden = false;
  const drawSoon = createFramePacer(draw, later);

  function draw(): void {
    if (isHidden) return;
    const size = sizeOf(screen);
    const { paint } = screen;
    const lines = isOpen ? frameOf(view, { nowMs: nowMs(), ...size, paint, expected }) : [];
    const text = redraw(drawn, scrolled, lines, size);
    scrolled = [];
    drawn = { lines, ...size };
    // One write: what is between two may be seen.
    if (text !== '') screen.write(text);
  }

  function rendered(lines: readonly Line[]): readonly string[] {
    if (lines.length === 0) return [];
    const { paint, hasColors } = screen;
    const jobWidth = jobWidthOf([...view.jobs.values()].map(({ name }) => name));
    return lines.flatMap((line) =>
      renderLine(line, { paint, hasColors, jobWidth, clock }).split('\n'),
    );
  }

  return {
    get view() {
      return view;
    },
    event(event: LoggedEvent) {
      const before = view;
      view = reduceRunView(before, event);
      scrolled.push(...rendered(linesOf(before, event, view)));
      drawSoon();
    },
    startAgain(events) {
      // What was told before is shown as it was told.
      draw();
      view = events.reduce(reduceRunView, emptyRunView);
    },
    say(text) {
      scrolled.push(...text.split('\n'));
      drawSoon();
    },
    tick: draw,
    expect(times) {
      expected = times;
      drawSoon();
    },
    hide() {
      const text = redraw(drawn, scrolled.splice(0), [], sizeOf(screen));
      if (text !== '') screen.write(text);
      drawn = NOTHING_DRAWN;
      isHidden = true;
    },
    show() {
      isHidden = false;
      // Nobody said so before a stop that cannot be heard.
      drawn = NOTHING_DRAWN;
      draw();
    },
    close() {
      isOpen = false;
      isHidden = false;
      draw();
    },
    sumUp: (ended, command) => writeSummary(ended, screen, command),
  };
}
