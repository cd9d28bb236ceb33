/**
 * Shows a run while it goes on. Plain: lines, one after the other, for files and the logs of build servers. Terminal: the same
 * lines, and under them one line on where the run stands, redrawn in place.
 */
import type { LoggedEvent } from '@tutti/manifests';
import type { Screen } from '../terminal/io.ts';
import { type Display, WHOLE_DISPLAY } from './display.ts';
import type { ExpectedTimes } from './frame.ts';
import type { Line } from './line.ts';
import { progressLine } from './progress.ts';
import { type Clock, jobWidthOf, localClock, renderLine } from './render-line.ts';
import { emptyRunView, type RunView, reduceRunView } from './run-view.ts';
import { shownLines } from './shown-lines.ts';
import { type Ended, summaryLines } from './summary.ts';

export interface Presenter {
  readonly view: RunView;
  /** Takes in the next event and says what it is worth. */
  event(event: LoggedEvent): void;
  /** Takes in all events so far anew and says nothing: the server shows them in another way than before. */
  startAgain(events: readonly LoggedEvent[]): void;
  /** Says something that no event told, above the line of progress. */
  say(text: string): void;
  /** Redraws what depends on the time. */
  tick(): void;
  /** How long the run may take; absent where that is not shown. */
  expect?(times: ExpectedTimes): void;
  /** Takes away what is redrawn in place: others write to the terminal for a while. Absent where nothing is. */
  hide?(): void;
  /** Draws it again, below what they wrote. */
  show?(): void;
  /** Takes the line of progress away; nothing is redrawn after. Safe to call twice. */
  close(): void;
  /** Tells what came of the run, after `close`. `command`: see `summaryLines`. */
  sumUp(ended: Ended, command: string | null): void;
}

/** How lines look; as they are where nothing else is said. */
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
      renderLine(line, { paint, hasColors, jobWidth, clock, prefix, lineColors }),
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
      // Nobody said so before a stop that cannot be heard.
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

/** Has others write to the terminal meanwhile. */
export function besides(presenter: Presenter | null, write: () => void): void {
  presenter?.hide?.();
  write();
  presenter?.show?.();
}

export function writeSummary(ended: Ended, screen: Screen, command: string | null): void {
  screen.write(`${summaryLines(ended, screen.paint, command).join('\n')}\n`);
}
