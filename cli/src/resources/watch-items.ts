/** `--watch`: reads a list every second until it is stopped. */
import { isTransient, type JsonRecord } from '@tutti/client';
import { drawInPlace, writeBeside } from '../terminal/in-place.ts';
import type { Io } from '../terminal/io.ts';
import { type Ending, untilStopped } from '../terminal/until-stopped.ts';
import type { Output } from './output.ts';
import type { Listing } from './print-items.ts';
import { createItemView, type ItemView } from './watch-view.ts';

export interface Watched extends Ending {
  /** Reads the present items. */
  readonly read: (signal: AbortSignal) => Promise<readonly JsonRecord[]>;
  readonly listing: Listing;
  readonly output: Output;
  /** Called after each read: true once the items no longer change. Absent, only the user or the timeout ends it. */
  readonly isOver?: () => boolean;
}

/** About ten minutes of a server that does not answer: longer than a restart with an upgrade takes. */
const FAILURES_MAX = 600;

/** Follows items until all have ended, or until a request to stop. Resolves with the exit code. Throws refusals of the server. */
export async function watchItems(watched: Watched, io: Io): Promise<number> {
  const view = createItemView(watched.listing, watched.output, io);
  const { hide, redraw } = view;
  const stopPausing = hide && redraw && io.onPause?.(hide, redraw);
  const stopDrawing = hide && redraw && drawInPlace(io.screen, { hide, show: redraw });
  try {
    return await untilStopped((signal) => look(watched, view, io, signal), watched, io);
  } finally {
    stopPausing?.();
    stopDrawing?.();
  }
}

async function look(
  { read, isOver = () => false }: Watched,
  view: ItemView,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  // A server that is unreachable at the start is reported at once.
  await view.show(await read(signal));
  const say = (text: string) => writeBeside(io.screen, () => io.complain(text));
  for (let failures = 0; !isOver(); ) {
    await nextTick(io, signal);
    signal.throwIfAborted();
    try {
      await view.show(await read(signal));
      if (failures > 0) say('tutti: The server is back.\n');
      failures = 0;
    } catch (error) {
      if (signal.aborted || !isTransient(error) || failures >= FAILURES_MAX) throw error;
      failures += 1;
      if (failures === 1) say('tutti: The server cannot be reached; trying again until Ctrl-C.\n');
    }
  }
}

/** Resolves after a second, when the terminal changes its size, or when the user stops. */
function nextTick(io: Io, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      stopTicking();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const stopTicking = io.onTick(end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
