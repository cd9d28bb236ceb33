/** Chooses the presenter of a run, and loads it. */
import { displayOf } from '../options/display-options.ts';
import { progressOf, type ViewOptions } from '../options/view-options.ts';
import { createPresenter, type Presenter, type PresenterLook } from '../run-view/presenter.ts';
import type { FoldingMarks } from '../run-view/progress-kinds.ts';
import { drawInPlace } from '../terminal/in-place.ts';
import type { Io } from '../terminal/io.ts';

/** Returns a presenter that gets the time until `close` is called. */
export async function openPresenter(options: ViewOptions, io: Io): Promise<Presenter> {
  if (options.output === 'json') {
    const { createJsonPresenter } = await import('../run-view/json-presenter.ts');
    return createJsonPresenter(io);
  }
  const nowMs = () => io.now();
  const look = { display: displayOf(options) };
  const kind = progressOf(options, io);
  switch (kind) {
    case 'tree':
      return await openTree(look, io);
    case 'line':
      return ticking(createPresenter(io.screen, nowMs, look), io);
    case 'plain':
      return createPresenter({ ...io.screen, isTerminal: false }, nowMs, look);
    case 'none': {
      const { createSilentPresenter } = await import('../run-view/silent-presenter.ts');
      return createSilentPresenter(io);
    }
    default:
      return await openFolded(kind, look, io);
  }
}

async function openTree(look: PresenterLook, io: Io): Promise<Presenter> {
  const { createTreePresenter } = await import('../run-view/tree-presenter.ts');
  const later = (callback: () => void, ms: number) => void setTimeout(callback, ms).unref();
  const presenter = createTreePresenter({
    ...look,
    screen: io.screen,
    nowMs: () => io.now(),
    later,
  });
  return ticking(presenter, io);
}

async function openFolded(marks: FoldingMarks, look: PresenterLook, io: Io): Promise<Presenter> {
  const [{ createFolding }, { createFoldedPresenter }] = await Promise.all([
    import('../run-view/folding.ts'),
    import('../run-view/folded-presenter.ts'),
  ]);
  const folding = createFolding(marks, crypto.randomUUID());
  const { screen } = io;
  return ticking(createFoldedPresenter({ ...look, screen, nowMs: () => io.now(), folding }), io);
}

/** Passes ticks and pauses to a presenter until it is closed. */
function ticking(presenter: Presenter, io: Io): Presenter {
  const stopTicking = io.onTick(() => presenter.tick());
  const { close, hide, show } = presenter;
  const stopPausing = hide && show && io.onPause?.(hide, show);
  const stopDrawing = hide && show && drawInPlace(io.screen, { hide, show });
  return Object.assign(presenter, {
    close() {
      stopTicking();
      stopPausing?.();
      stopDrawing?.();
      close();
    },
  });
}
