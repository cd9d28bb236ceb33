/** Shows a run on a terminal: the log scrolls, and a tree of active and waiting jobs is redrawn below. */
import type { LoggedEvent } from '@tutti/manifests';
import { emptyRunView, type Line, type RunView, reduceRunView } from '@tutti/run-view';
import type { Screen } from '../terminal/io.ts';
import { createAreaWriter } from './area-writer.ts';
import { WHOLE_DISPLAY } from './display.ts';
import { type ExpectedTimes, frameOf } from './frame.ts';
import { createFramePacer, type Later } from './frame-pacer.ts';
import { createJobStyles } from './job-styles.ts';
import { type Presenter, type PresenterLook, writeSummary } from './presenter.ts';
import { jobWidthOf, localClock, renderLine, shownLines } from './shown-lines.ts';

export interface TreeOptions extends PresenterLook {
  readonly screen: Screen;
  /** Epoch milliseconds, read when something is drawn. */
  readonly nowMs: () => number;
  readonly later: Later;
}

type TreePresenter = Presenter & Required<Pick<Presenter, 'hide' | 'show'>>;

export function createTreePresenter(options: TreeOptions): TreePresenter {
  const { screen, nowMs, later, clock = localClock, display = WHOLE_DISPLAY } = options;
  const { prefix, lineColors, commandLength, jobDepth, stepDepth } = display;
  const empty = { ...emptyRunView, commandLength };
  const jobStyle = createJobStyles();
  const { paint } = screen;
  let view: RunView = empty;
  let expected: ExpectedTimes | null = null;
  let isOpen = true;
  const area = createAreaWriter(screen, (size) =>
    isOpen ? frameOf(view, { nowMs: nowMs(), ...size, paint, expected, jobDepth, stepDepth }) : [],
  );
  const drawSoon = createFramePacer(area.draw, later);

  function rendered(lines: readonly Line[]): readonly string[] {
    if (lines.length === 0) return [];
    const { hasColors } = screen;
    const jobWidth = jobWidthOf([...view.jobs.values()].map(({ name }) => name));
    return lines.flatMap((line) =>
      renderLine(line, { paint, hasColors, jobWidth, clock, prefix, lineColors, jobStyle }).split(
        '\n',
      ),
    );
  }

  return {
    get view() {
      return view;
    },
    event(event: LoggedEvent) {
      const before = view;
      view = reduceRunView(before, event);
      area.scroll(rendered(shownLines(before, event, view, display)));
      drawSoon();
    },
    startAgain(events) {
      // Earlier lines keep their form.
      area.draw();
      view = events.reduce(reduceRunView, empty);
    },
    say(text) {
      area.scroll(text.split('\n'));
      drawSoon();
    },
    tick: area.draw,
    expect(times) {
      expected = times;
      drawSoon();
    },
    hide: area.hide,
    show: area.show,
    close() {
      isOpen = false;
      area.draw();
    },
    sumUp: (ended, command) => writeSummary(ended, screen, command),
  };
}
