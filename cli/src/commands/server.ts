/** `tutti server`: runs the orchestrator until it is told to stop. */
import type { ServerConfigInput } from '@tutti/server';
import { EXIT_CODES } from '../exit-codes.ts';
import { type Io, SIGNAL_EXIT_CODES } from '../io.ts';

/** `config` is the path of a configuration file. Resolves with the exit code. */
export async function runServer(
  config: string | undefined,
  options: ServerConfigInput,
  io: Io,
): Promise<number> {
  const { loadConfig, startServer } = await import('@tutti/server');
  const stopped = Promise.withResolvers<void>();
  let isStopping = false;
  const stopListening = io.onStop((signal) => {
    if (isStopping) io.exit(SIGNAL_EXIT_CODES[signal]);
    isStopping = true;
    stopped.resolve();
  });
  try {
    const file = config ?? io.env.TUTTI_CONFIG;
    const server = await startServer(loadConfig({ file, env: io.env, options }));
    // Listening may have taken a while: whoever asked to stop meanwhile is not told that all is ready.
    if (!isStopping) io.screen.write(`Tutti is ready on ${server.url}\n`);
    await stopped.promise;
    await server.stop();
    return EXIT_CODES.done;
  } finally {
    stopListening();
  }
}
