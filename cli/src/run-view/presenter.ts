/**
 * Shows a running run. Plain: lines in order, for files and logs of build servers. Terminal: the same lines, with a line of
 * progress below that is redrawn in place.
 */
import type { LoggedEvent } from '@tutti/manifests';
import { emptyRunView, type Line, type RunView, reduceRunView } from '@tutti/run-view';
import type { Screen } from '../terminal/io.ts';
import { type Display, WHOLE_DISPLAY } from './display.ts';
import type { ExpectedTimes } from './frame.ts';
import { createJobStyles } from './job-styles.ts';
import { progressLine } from './progress.ts';
import { type Clock, jobWidthOf, localClock, renderLine, shownLines } from './shown-lines.ts';
import { type Ended, summaryLines } from './summary.ts';

export interface Presenter {
  readonly view: RunView;
  /** Takes the next event and prints its lines. */
  event(event: LoggedEvent): void;
  /** Takes all events again without output: the server now shows them differently. */
  startAgain(events: readonly LoggedEvent[]): void;
  /** Prints a text of its own, above the line of progress. */
  say(text: string): void;
  /** Redraws the times. */
  tick(): void;
  /** Sets the expected duration of the run; absent if it is not shown. */
  expect?(times: ExpectedTimes): void;
  /** Hides the area while others write to the terminal. Absent if nothing is redrawn. */
  hide?(): void;
  /** Draws it again, below their text. */
  show?(): void;
  /** Takes the line of progress away; nothing is redrawn after. Safe to call twice. */
  close(): void;
  /** Prints the result of the run, after `close`. `command`: see `summaryLines`. */
  sumUp(ended: Ended, command: string | null): void;
}

/** Style of the output. Absent fields keep the default. */
export interface PresenterLook {
  readonly clock?: Clock;
  readonly display?: Display;
}

const ERASE_LINE = '\r\u001b[K';

/** `nowMs` is the time in epoch milliseconds, read when something is drawn. */
export function createPresenter(
  screen: Screen,
  nowMs: () => number,
  { clock = localClock, display = WHOLE_DISPLAY }: PresenterLook = {},
): Presenter {
  const { prefix, lineColors, commandLength } = display;
  const empty = { ...emptyRunView, commandLength };
  const jobStyle = createJobStyles();
  let view: RunView = empty;
  let isOpen = screen.isTerminal;
  let isHidden = false;
  let drawn = '';

  function draw(lines: readonly string[]): void {
    const isShown = isOpen && !isHidden && view.workflowId !== '';
    const progress = isShown ? progressLine(view, nowMs(), screen.columns(), display) : '';
    if (lines.length === 0 && progress === drawn) return;
    // One write: a terminal that shows the erased line before its replacement flickers.
    const erase = drawn === '' ? '' : ERASE_LINE;
    screen.write(`${erase}${lines.map((line) => `${line}\n`).join('')}${progress}`);
    drawn = progress;
  }

  function rendered(lines: readonly Line[]): readonly string[] {
    if (lines.length === 0) return [];
    const { paint, hasColors } = screen;
    const jobWidth = jobWidthOf([...view.jobs.values()].map(({ name }) => name));
    return lines.map((line) =>
      renderLine(line, { paint, hasColors, jobWidth, clock, prefix, lineColors, jobStyle }),
    );
  }

  return {
    get view() {
      return view;
    },
    event(event) {
      const before = view;
      view = reduceRunView(before, event);
      draw(rendered(shownLines(before, event, view, display)));
    },
    startAgain(events) {
      view = events.reduce(reduceRunView, empty);
    },
    say: (text) => draw([text]),
    tick: () => draw([]),
    hide() {
      isHidden = true;
      draw([]);
    },
    show() {
      isHidden = false;
      // SIGSTOP cannot be handled, so nothing hid the drawing before.
      drawn = '';
      draw([]);
    },
    close() {
      isOpen = false;
      draw([]);
    },
    sumUp: (ended, command) => writeSummary(ended, screen, command),
  };
}

/** Hides the presenter while others write to the terminal. */
export function besides(presenter: Presenter | null, write: () => void): void {
  presenter?.hide?.();
  write();
  presenter?.show?.();
}

export function writeSummary(ended: Ended, screen: Screen, command: string | null): void {
  screen.write(`${summaryLines(ended, screen.paint, command).join('\n')}\n`);
}
