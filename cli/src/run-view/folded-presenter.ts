/** Shows a run in the log of a build server that folds: the output of each step is a group. */
import type { LoggedEvent } from '@tutti/manifests';
import { emptyRunView, failuresOf, type Line, type RunView, reduceRunView } from '@tutti/run-view';
import { cleanLine, lastState } from '@tutti/run-view/text';
import type { Screen } from '../terminal/io.ts';
import { WHOLE_DISPLAY } from './display.ts';
import { FoldedLog } from './folded-log.ts';
import type { Folding } from './folding.ts';
import { createJobStyles } from './job-styles.ts';
import type { Presenter, PresenterLook } from './presenter.ts';
import { jobWidthOf, localClock, renderLine, shownLines } from './shown-lines.ts';
import { summaryLines } from './summary.ts';

export interface FoldedOptions extends PresenterLook {
  readonly screen: Screen;
  readonly nowMs: () => number;
  readonly folding: Folding;
}

/** GitHub shows this number of errors of one step. */
export const MARKED_ERRORS_MAX = 10;

export function createFoldedPresenter(options: FoldedOptions): Presenter {
  const { screen, nowMs, folding, clock = localClock, display = WHOLE_DISPLAY } = options;
  const { prefix, lineColors, commandLength } = display;
  const empty = { ...emptyRunView, commandLength };
  const jobStyle = createJobStyles();
  const write = (text: string) => screen.write(text);
  let view: RunView = empty;
  let events = 0;
  const log = new FoldedLog({ write, render, folding, nowMs });

  function render(line: Line): string {
    const { paint, hasColors } = screen;
    const jobWidth = jobWidthOf([...view.jobs.values()].map(({ name }) => name));
    // Line breaks in the output would start lines without our mark.
    const text = line.text.replace(/\r?\n/g, ' ');
    return renderLine(
      { ...line, text },
      { paint, hasColors, jobWidth, clock, prefix, lineColors, jobStyle },
    );
  }

  function reduce(event: LoggedEvent): readonly Line[] {
    const before = view;
    view = reduceRunView(before, event);
    return shownLines(before, event, view, display);
  }

  return {
    get view() {
      return view;
    },
    event(event) {
      for (const [index, line] of reduce(event).entries()) log.take({ line, event: events, index });
      events += 1;
    },
    startAgain(all) {
      view = empty;
      const lines = all.map(reduce);
      log.renew((entry) => ({ ...entry, line: lines[entry.event]?.[entry.index] ?? entry.line }));
    },
    say(text) {
      log.end();
      write(folding.guarded(text.split('\n')));
    },
    tick: () => log.tick(),
    close: () => log.end(),
    sumUp(ended, command) {
      log.end();
      write(folding.guarded(summaryLines(ended, screen.paint, command)));
      if (ended.status === 'FAILED') for (const error of markedErrors(view, folding)) write(error);
    },
  };
}

function markedErrors(view: RunView, folding: Folding): readonly string[] {
  return failuresOf(view)
    .slice(0, MARKED_ERRORS_MAX)
    .map(({ place, message, step }) => {
      const last = step?.lastLines.at(-1);
      const title = place === '' ? view.name : place;
      const said = last === undefined ? '' : `: ${cleanLine(lastState(last))}`;
      return folding.error(title, `${message}${said}`);
    });
}
