/** `tutti workflows watch`: follows a started run to its end. */
import { type ConnectionOptions, connectBy, findConnection } from '../connection/connection.ts';
import { progressOf, type ViewOptions, withViewDefaults } from '../options/view-options.ts';
import { workflowRef } from '../runs/workflow-ref.ts';
import { followRun, type Interrupt } from '../start/follow-run.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import { type Io, SIGNAL_EXIT_CODES } from '../terminal/io.ts';

export interface WatchOptions extends ConnectionOptions, ViewOptions {
  /** Milliseconds. */
  readonly timeout?: number | undefined;
}

/** Follows a run, by default the newest one. Resolves with the exit code. */
export async function watchRun(
  text: string | undefined,
  given: WatchOptions,
  io: Io,
): Promise<number> {
  progressOf(given, io);
  const connection = await findConnection(given, io);
  const options = withViewDefaults(given, connection.context, io.env);
  const client = await connectBy(connection, given, io);
  const workflowId = await workflowRef(client, text, { what: 'to watch' }, io);
  io.outliveReaders();
  const interrupt: Interrupt = (signal, presenter) => {
    presenter?.close();
    io.complain(`Left; workflow ${workflowId} goes on.\n`);
    io.exit(SIGNAL_EXIT_CODES[signal]);
  };
  const status = await followRun(client, workflowId, { ...options, interrupt }, io);
  if (status === null) return EXIT_CODES.undecided;
  return status === 'DONE' ? EXIT_CODES.done : EXIT_CODES.failed;
}
