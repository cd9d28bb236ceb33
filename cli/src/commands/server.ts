/** `tutti server`: runs the orchestrator until it is stopped. */
import { isOrchestratorError } from '@tutti/manifests';
import type { RunningServer, ServerConfig, ServerConfigInput } from '@tutti/server';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import { codeOf, fileAdvice, fileProblem, fileReason } from '../terminal/file-problem.ts';
import { type Io, SIGNAL_EXIT_CODES, type StopSignal } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';

/** `configFile` is the path of a configuration file. Resolves with the exit code. */
export async function runServer(
  configFile: string | undefined,
  options: ServerConfigInput,
  io: Io,
): Promise<number> {
  const { loadConfig, startServer } = await import('@tutti/server');
  io.outliveReaders();
  const stopped = Promise.withResolvers<void>();
  let isStopping = false;
  const stop = (signal: StopSignal) => {
    if (isStopping) io.exit(SIGNAL_EXIT_CODES[signal]);
    isStopping = true;
    stopped.resolve();
  };
  const stopListening = io.onStop(stop, { whenClosed: true });
  try {
    if (configFile === '')
      throw new UsageError('--config names no file.', 'name one, or leave it out.');
    const file = configFile ?? (io.env.TUTTI_CONFIG || undefined);
    const config = configOf(() => loadConfig({ file, env: io.env, options }), file);
    const server = await startServer(config).catch((error: unknown) => {
      throw listenProblem(error, config) ?? pathProblem(error) ?? error;
    });
    // After a request to stop during the start, the ready line is left out.
    if (!isStopping) io.screen.write(`Tutti is ready on ${server.url}\n`);
    // The server works, whatever becomes of that.
    if (!isStopping && io.screen.isTerminal) await offerPage(server, io).catch(() => undefined);
    await stopped.promise;
    await server.stop();
    return EXIT_CODES.done;
  } finally {
    stopListening();
  }
}

/** Prints an address that signs in, where that is possible: over HTTPS, or on this machine. */
async function offerPage({ url, dataDir }: RunningServer, io: Io): Promise<void> {
  const { isLoopback } = await import('@tutti/server');
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'https:' && !isLoopback(hostname)) return;
  const [{ connect }, { pageAddress }] = await Promise.all([
    import('../connection/connection.ts'),
    import('../connection/page-address.ts'),
  ]);
  const address = await pageAddress(await connect({ dataDir }, { ...io, env: {} }), null);
  io.screen.write(
    `Open ${address}\nIt signs in once, within 60 seconds; "${io.command} ui" makes another.\n`,
  );
}

/** Reports a file problem in the words that all commands use. */
function configOf<Config>(load: () => Config, file: string | undefined): Config {
  try {
    return load();
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (codeOf(cause) === null) throw error;
    throw new UsageError(
      `Cannot read the configuration file ${file}: ${fileReason(cause)}.`,
      'name another one with --config or TUTTI_CONFIG, or see to it that this account may read this one.',
    );
  }
}

/** Describes a failure of a path in the configuration, in the words of all commands; null for other errors. */
function pathProblem(error: unknown): UsageError | null {
  if (!isOrchestratorError(error) || !(error.cause instanceof Error)) return null;
  const { message, cause } = error;
  const problem = fileProblem(cause);
  if (problem === null) return null;
  // For a file that decides access, the message also says its purpose.
  const isPathAlone = message.endsWith(`: cannot be read: ${cause.message}`);
  const what = isPathAlone ? problem : message.replace(cause.message, () => fileReason(cause));
  return new UsageError(what, fileAdvice(cause));
}

const LISTEN_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'it is taken',
  EACCES: 'it is reserved for administrators',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no such host',
};

/** Null for errors that do not concern the address. */
function listenProblem(error: unknown, config: ServerConfig): UsageError | null {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return null;
  if (error.syscall !== 'listen' && error.syscall !== 'getaddrinfo') return null;
  const { host } = config;
  const port = 'port' in error ? error.port : config.port;
  const how =
    port === config.port
      ? 'choose another one with --host and --port (0 takes any that is free)'
      : 'give the service of that port another one in `services` of the configuration';
  const why = LISTEN_PROBLEMS[String(error.code)] ?? error.message;
  return new UsageError(
    `Cannot listen on ${host}, port ${port}: ${why}.`,
    `${how}, or stop what uses it.`,
  );
}
