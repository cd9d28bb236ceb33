/** Starts a run at its place: on a server, or on this machine. */
import { loadContext } from '../client-config/load-context.ts';
import {
  type ConnectionOptions,
  connectTo,
  followDisplay,
  resolveConnection,
} from '../connection/connection.ts';
import type { LocalOptions } from '../options/local-options.ts';
import { withViewDefaults } from '../options/view-options.ts';
import type { Io } from '../terminal/io.ts';
import { placeOf } from './place.ts';
import { type FollowOptions, type Start, sendAndFollow } from './send-and-follow.ts';

export interface PlaceOptions extends ConnectionOptions, LocalOptions, FollowOptions {}

export interface Place {
  readonly isHere: boolean;
  /** Namespace of the context; null without one. */
  readonly namespace: string | null;
}

/** Starts a run and resolves with the exit code. `files` are watched for changes. Wrong options are refused before anything is read. */
export async function startRun(
  readStart: (place: Place) => Promise<Start>,
  given: PlaceOptions,
  io: Io,
  files: readonly string[] = [],
): Promise<number> {
  const context = given.local === true ? null : await loadContext(given, io.env);
  const options = withViewDefaults(given, context, io.env);
  followDisplay(context, io);
  const isHere = (await placeOf(options, context, io)) === 'here';
  const read = () => readStart({ isHere, namespace: context?.namespace ?? null });
  if (isHere && options.watch === true) {
    const { startOnChange } = await import('./start-on-change.ts');
    return await startOnChange({ readStart: read, files }, options, io);
  }
  const start = await read();
  if (isHere) {
    const { startHere } = await import('./start-here.ts');
    return await startHere(start, options, io);
  }
  const client = await connectTo(resolveConnection(options, io.env, context), io);
  return await sendAndFollow(client, start, { ...options, server: client.baseUrl }, io);
}
