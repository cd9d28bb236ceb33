/** Shows nothing until the end of a run. */
import { emptyRunView, reduceRunView } from '@tutti/run-view';
import type { Io } from '../terminal/io.ts';
import { type Presenter, writeSummary } from './presenter.ts';

export function createSilentPresenter({
  screen,
  complain,
}: Pick<Io, 'screen' | 'complain'>): Presenter {
  let view = emptyRunView;
  return {
    get view() {
      return view;
    },
    event(event) {
      view = reduceRunView(view, event);
    },
    startAgain(events) {
      view = events.reduce(reduceRunView, emptyRunView);
    },
    // The message concerns every user who waits, whatever the display.
    say: (text) => complain(`${text}\n`),
    tick() {},
    close() {},
    sumUp: (ended, command) => writeSummary(ended, screen, command),
  };
}
