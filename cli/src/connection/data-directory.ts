/** The data directory that commands are about. */

import { type Io, SIGNAL_EXIT_CODES, type StopSignal } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import { DEFAULT_DATA_DIR } from './connection.ts';

export interface DataDirOption {
  readonly dataDir?: string | undefined;
}

/** Option over environment over the default. */
export const dataDirOf = ({ dataDir }: DataDirOption, { env }: Io): string =>
  dataDir ?? (env.TUTTI_DATA_DIR || DEFAULT_DATA_DIR);

/**
 * Runs work that can be stopped without leaving traces. Resolves with the exit code. Refusals about data are reported like all
 * others.
 */
export async function stoppable(
  io: Io,
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const stop = new AbortController();
  let asked: StopSignal = 'SIGINT';
  const ask = (signal: StopSignal) => {
    if (stop.signal.aborted) io.exit(SIGNAL_EXIT_CODES[signal]);
    asked = signal;
    stop.abort();
  };
  const stopListening = io.onStop(ask, { whenClosed: true });
  try {
    return await withRefusals(() => work(stop.signal));
  } catch (error) {
    // A request to stop is not an error, so nothing is reported.
    if (stop.signal.aborted) return SIGNAL_EXIT_CODES[asked];
    throw error;
  } finally {
    stopListening();
  }
}

export async function withRefusals<Result>(work: () => Promise<Result>): Promise<Result> {
  const { loadRecovery } = await import('@tutti/server');
  const { RecoveryRefusal } = await loadRecovery();
  try {
    return await work();
  } catch (error) {
    throw error instanceof RecoveryRefusal ? new UsageError(error.message, error.next) : error;
  }
}
