/** Runs a workflow on this machine, and again after each change of files, until it is stopped. */
import { resolve } from 'node:path';
import type { ConnectionOptions } from '../connection/connection.ts';
import { dataDirOf } from '../connection/data-directory.ts';
import type { LocalOptions } from '../options/local-options.ts';
import { noticeWriter } from '../options/view-options.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { problemOf, renderProblem } from '../terminal/problem.ts';
import type { FollowOptions, Start } from './send-and-follow.ts';
import { startHere } from './start-here.ts';
import { type FileWatch, watchFiles } from './watch-files.ts';

type WatchedOptions = ConnectionOptions & LocalOptions & FollowOptions;

export interface WatchedRun {
  /** Reads the workflow for each run, because it may have changed. */
  readonly readStart: () => Promise<Start>;
  /** Files that are watched even if they are outside the directory. */
  readonly files: readonly string[];
}

/** Number of changed paths that a message names. */
const PATHS_SHOWN_MAX = 3;

/** Standard output and standard error, which may be files below the directory. */
const OUTPUTS = [1, 2];

/** Runs a workflow again after each change of files. Resolves with the exit code of the last run. */
export async function startOnChange(
  { readStart, files }: WatchedRun,
  options: WatchedOptions,
  io: Io,
): Promise<number> {
  const except = resolve(dataDirOf(options, io));
  const watch = await watchFiles({ root: process.cwd(), files, except, outputs: OUTPUTS });
  const stop = new AbortController();
  const stopListening = io.onStop(() => stop.abort());
  const print = noticeWriter(options, io);
  let round = { ...options };
  try {
    for (;;) {
      const code = await runUntilChange({ readStart, watch, stop: stop.signal }, round, io);
      const written = await watch.endRun();
      if (written.length > 0) print(`Written by the run, so no changes: ${pathsText(written)}.\n`);
      if (stop.signal.aborted) return code;
      print('Waiting for changes; Ctrl-C ends this.\n');
      const changed = await watch.changes(stop.signal).catch(() => null);
      if (changed === null) return code;
      print(changedText(changed));
      // The place was already reported.
      round = { ...options, local: true };
    }
  } finally {
    stopListening();
    watch.close();
  }
}

interface Round {
  readonly readStart: () => Promise<Start>;
  readonly watch: FileWatch;
  readonly stop: AbortSignal;
}

/** Cancels the run when files change; the next round reports the change. */
async function runUntilChange(
  { readStart, watch, stop }: Round,
  options: WatchedOptions,
  io: Io,
): Promise<number> {
  watch.beginRun();
  const over = new AbortController();
  const outdated = new AbortController();
  const looking = watch.untilChange(AbortSignal.any([over.signal, stop])).then(
    () => outdated.abort(),
    () => {},
  );
  try {
    return await startHere(await readStart(), { ...options, outdated: outdated.signal }, io);
  } catch (error) {
    // The next change may correct it.
    io.complain(renderProblem(problemOf(error), io.command));
    return EXIT_CODES.problem;
  } finally {
    over.abort();
    await looking;
  }
}

const changedText = (changed: readonly string[]): string =>
  `Changed: ${pathsText(changed)}. Running again.\n`;

function pathsText(paths: readonly string[]): string {
  const shown = paths.slice(0, PATHS_SHOWN_MAX).join(', ');
  const more = paths.length - PATHS_SHOWN_MAX;
  return `${shown}${more > 0 ? ` and ${more} more` : ''}`;
}
