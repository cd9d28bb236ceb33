/** Decides where `tutti run` runs: on a server, or on this machine. */
import type { ClientContext } from '../client-config/client-context.ts';
import type { ConnectionOptions } from '../connection/connection.ts';
import { dataDirOf } from '../connection/data-directory.ts';
import { runningServerOf } from '../connection/running-server.ts';
import type { LocalOptions } from '../options/local-options.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';

/** A named server (also of a context) or one in the data directory runs it; otherwise this machine does. */
export async function placeOf(
  options: ConnectionOptions & LocalOptions,
  context: ClientContext | null,
  io: Io,
): Promise<'server' | 'here'> {
  if (options.local === true) refuseNamedServer(options);
  const isNamedByOption = options.server !== undefined || context !== null;
  const isNamed = isNamedByOption || Boolean(io.env.TUTTI_SERVER);
  if (isNamed && options.local !== true) {
    refuseLocalOptions(options);
    return 'server';
  }
  const url = await serverOf(dataDirOf(options, io));
  if (url === null) return 'here';
  refuseHere(options, url, io);
  return 'server';
}

/** Address of a server that outlives a command. A killed one leaves its address; later the lock decides whether the directory is free. */
async function serverOf(dataDir: string): Promise<string | null> {
  const running = runningServerOf(dataDir);
  if (running === null || running.isLocal) return null;
  const { isRefused } = await import('../connection/is-refused.ts');
  return (await isRefused(running.url)) ? null : running.url;
}

/** Refuses options for local runs if the server of the data directory, at this address, runs the workflow. */
export function refuseHere(options: ConnectionOptions & LocalOptions, url: string, io: Io): void {
  if (options.local === true) throw serverInTheWay(dataDirOf(options, io), url);
  refuseLocalOptions(options);
}

function refuseNamedServer({ server, context }: ConnectionOptions): void {
  if (server === undefined && context === undefined) return;
  throw new UsageError(
    `--local runs on this machine, and ${server === undefined ? '--context' : '--server'} names a server.`,
    'leave one of them out.',
  );
}

const serverInTheWay = (dataDir: string, url: string): UsageError =>
  new UsageError(
    `A server has the data directory ${dataDir}: ${url}.`,
    'leave --local out to run there, stop that server, or name another directory with --data-dir.',
  );

const LOCAL_OPTIONS = [
  ['tags', '--tags'],
  ['maxParallel', '--max-parallel'],
  ['allowPath', '--allow-path'],
  ['keepWorkspaces', '--keep-workspaces'],
  ['watch', '--watch'],
] as const;

/** These options would have no effect. */
function refuseLocalOptions(options: LocalOptions): void {
  const given = LOCAL_OPTIONS.find(([key]) => options[key] !== undefined);
  if (given === undefined) return;
  throw new UsageError(
    `${given[1]} is about this machine, and the workflow runs on a server.`,
    `leave it out; or add --local to run on this machine.`,
  );
}
