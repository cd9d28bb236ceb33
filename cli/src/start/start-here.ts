/** Runs a workflow on this machine, without a server, and follows it to its end. */
import { readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { createClient } from '@tutti/client';
import type { ConnectionOptions } from '../connection/connection.ts';
import { dataDirOf } from '../connection/data-directory.ts';
import {
  createDirectoryFetch,
  interruptedText,
  NoHostError,
} from '../connection/directory-fetch.ts';
import { type Host, type HostOptions, openSession } from '../connection/host.ts';
import { createLightFetch } from '../connection/light-fetch.ts';
import { defaultTags, type LocalOptions } from '../options/local-options.ts';
import { noticeWriter } from '../options/view-options.ts';
import { type Io, SIGNAL_EXIT_CODES } from '../terminal/io.ts';
import { refuseHere } from './place.ts';
import { type FollowOptions, type Start, sendAndFollow } from './send-and-follow.ts';

type HereOptions = ConnectionOptions & LocalOptions & FollowOptions;

export async function startHere(start: Start, options: HereOptions, io: Io): Promise<number> {
  if (options.local !== true && options.hints !== false)
    io.complain('Running on this machine; name a server with --server to run there.\n');
  const where = hostOptions(options, io);
  // A run in this process ends with it.
  const cancelOnTimeout = options.timeout === undefined ? options.cancelOnTimeout : true;
  const run = { ...options, wait: true, cancelOnTimeout };
  for (;;) {
    const session = await openSession(where, io);
    if (session.host !== null)
      return await runAsHost(session.host, start, { ...run, isHere: true }, io);
    if (session.isOfServer) refuseHere(options, session.url, io);
    const guest = createClient({
      baseUrl: session.url,
      fetch: createDirectoryFetch(where.dataDir, io),
    });
    try {
      return await sendAndFollow(guest, start, run, io);
    } catch (error) {
      // The host has just ended, so this process may become the host.
      if (!isNoHost(error)) throw error;
    }
  }
}

const isNoHost = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof NoHostError;

async function runAsHost(host: Host, start: Start, options: HereOptions, io: Io): Promise<number> {
  const { url, token } = host;
  const client = createClient({ baseUrl: url, token, fetch: createLightFetch() });
  for (const id of host.interrupted) io.complain(interruptedText(id, io.command));
  const guarded = guard(host, io);
  try {
    const code = await sendAndFollow(client, start, options, guarded.io);
    await host.close(() => io.complain(STAYS));
    if (options.keepWorkspaces === true) await printWorkspaces(host, noticeWriter(options, io));
    return code;
  } finally {
    await host.close();
    guarded.end();
  }
}

const STAYS =
  'Workflows of other commands still run in this process, which ends with the last of them; Ctrl-C ends them now.\n';

function hostOptions(options: HereOptions, io: Io): HostOptions {
  const own = defaultTags(process.platform);
  return {
    dataDir: resolve(dataDirOf(options, io)),
    tags: [...new Set([...own, ...(options.tags ?? [])])],
    maxParallel: options.maxParallel ?? availableParallelism(),
    // A local run may use the directory in which it was called.
    allowPaths: [process.cwd(), ...(options.allowPath ?? [])],
    keepsWorkspaces: options.keepWorkspaces === true,
  };
}

/** Ends the runs of this process in every case when it ends. */
function guard(host: Host, io: Io) {
  let isFollowing = false;
  const leave = (code: number) => {
    host.kill();
    io.exit(code);
  };
  const end = io.onStop(
    (signal) => {
      if (!isFollowing) leave(SIGNAL_EXIT_CODES[signal]);
    },
    { whenClosed: true },
  );
  // Not a copy: reading standard input opens it.
  const own: Io = Object.create(io);
  own.exit = leave;
  own.onStop = (handler) => {
    isFollowing = true;
    const endFollowing = io.onStop(handler, { whenClosed: true });
    return () => {
      isFollowing = false;
      endFollowing();
    };
  };
  return { io: own, end };
}

async function printWorkspaces({ workspaces }: Host, print: (text: string) => void): Promise<void> {
  const names = await readdir(workspaces).catch(() => []);
  const lines = names.map((name) => `  ${join(workspaces, name)}\n`);
  print(
    lines.length === 0
      ? 'No workspace is kept: no job had one.\n'
      : `Workspaces:\n${lines.join('')}`,
  );
}
